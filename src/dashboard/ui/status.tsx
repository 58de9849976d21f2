import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';

const SHOWN_MS = 5_000;
const Announce = createContext<(text: string) => void>(() => {});

/** Announces that something was done: shown for a while, and read out by screen readers. */
export function useAnnounce(): (text: string) => void {
  return useContext(Announce);
}

/** Where announcements appear. */
export function StatusLine({ children }: { readonly children: ReactNode }) {
  const [message, setMessage] = useState<{ readonly text: string }>();
  useEffect(() => {
    if (message === undefined) return undefined;
    const timer = setTimeout(() => setMessage(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [message]);
  return (
    <Announce.Provider value={(text) => setMessage({ text })}>
      {children}
      <div className="status-line" role="status">
        {message !== undefined && <p className="toast">{message.text}</p>}
      </div>
    </Announce.Provider>
  );
}
