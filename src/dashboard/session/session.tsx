import { TransportProvider } from '@connectrpc/connect-query';
import { QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { createQueryClient } from './query-client.js';
import { SignIn } from './sign-in.js';
import { storedKey, storeKey } from './stored-key.js';
import { createTransport } from './transport.js';

const SignOut = createContext<() => void>(() => {});

/** Ends the session of this tab and forgets its key and all data read with it. */
export function useSignOut(): () => void {
  return useContext(SignOut);
}

/** Shows its children when signed in with a management key, else the sign-in. */
export function Session({ children }: { readonly children: ReactNode }) {
  const [key, setKey] = useState(storedKey);
  const [notice, setNotice] = useState<string>();

  const enter = (managementKey: string) => {
    storeKey(managementKey);
    setKey(managementKey);
  };
  const leave = (message?: string) => {
    storeKey(null);
    setKey(null);
    setNotice(message);
  };
  if (key === null) return <SignIn notice={notice} onSignedIn={enter} />;
  return (
    <Connected key={key} managementKey={key} leave={leave}>
      {children}
    </Connected>
  );
}

interface ConnectedProps {
  readonly managementKey: string;
  readonly leave: (message?: string) => void;
  readonly children: ReactNode;
}

function Connected({ managementKey, leave, children }: ConnectedProps) {
  const transport = useMemo(() => createTransport(managementKey), [managementKey]);
  const [client] = useState(() => createQueryClient(leave));
  return (
    <SignOut.Provider value={() => leave()}>
      <TransportProvider transport={transport}>
        <QueryClientProvider client={client}>{children}</QueryClientProvider>
      </TransportProvider>
    </SignOut.Provider>
  );
}
