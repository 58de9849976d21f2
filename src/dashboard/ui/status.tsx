import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';

const SHOWN_MS = 5_000;
const Announce = createContext<(text: string) => void>(() => {});

/** Says that something was done: shown for a while, and read out by screen readers. */
export function useAnnounce(): (text: string) => void {
  return useContext(Announce);
}

/** Where announcements appear. */
export function StatusLine({ children }: { readonly children: ReactNode }) {
  const [said, setSaid] = useState<{ readonly text: string }>();
  useEffect(() => {
    if (said === undefined) return undefined;
    const timer = setTimeout(() => setSaid(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <Announce.Provider value={(text) => setSaid({ text })}>
      {children}
      <div className="status-line" role="status">
        {said !== undefined && <p className="toast">{said.text}</p>}
      </div>
    </Announce.Provider>
  );
}
