import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { refusalOf } from '../base/refusal.js';

/** How long what was read counts as fresh when one moves between pages. */
const FRESH_MS = 5_000;

/** Marks a call that changes nothing, after which nothing has to be read again. */
export const CHANGES_NOTHING = { changesNothing: true };

/** Marks a change after which one leaves the page: what it shows may be gone, and is not read again. */
export const LEAVES_PAGE = { leavesPage: true };

/**
 * What was read, for one session. After every change everything on screen is read again before the change counts as
 * done. What a change was made of is forgotten at once, since it may be a credential.
 */
export function createQueryClient(onSignedOut: (message: string) => void): QueryClient {
  const leaveIfSignedOut = (error: unknown) => {
    const refusal = refusalOf(error);
    if (refusal.isSignedOut) onSignedOut(refusal.message);
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: leaveIfSignedOut }),
    mutationCache: new MutationCache({
      onError: leaveIfSignedOut,
      onSuccess: async (_data, _variables, _result, { meta }) => {
        if (meta === CHANGES_NOTHING) return;
        await client.invalidateQueries({ refetchType: meta === LEAVES_PAGE ? 'none' : 'active' });
      },
    }),
    defaultOptions: {
      queries: { retry: false, staleTime: FRESH_MS },
      mutations: { retry: false, gcTime: 0 },
    },
  });
  return client;
}
