import type { CredentialStore } from '../../src/identity/authenticate.js';

export interface RecordingStore extends CredentialStore {
  known: boolean;
  lookups: number;
  announce(): void;
}

/** A store that counts look-ups and finds either everything or nothing, depending on `known`. */
export function recordingStore(): RecordingStore {
  const listeners: (() => void)[] = [];
  const store: RecordingStore = {
    known: false,
    lookups: 0,
    announce() {
      for (const listener of listeners) listener();
    },
    async findCredential(_kind, keyHash) {
      store.lookups++;
      const who = { kind: 'api_key', accountId: 'a', workspaceId: 'w', keyHash, userId: 'u' } as const;
      const principal = {
        ...who,
        plan: 'pay_as_you_go',
        limit: null,
        endUsers: null,
        cacheTtl: null,
      } as const;
      return store.known ? { principal, disabled: false, isClosed: false, expiresAt: null } : undefined;
    },
    onCredentialChange: (listener) => void listeners.push(listener),
  };
  return store;
}
