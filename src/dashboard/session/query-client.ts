import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { callRefusalOf } from '../base/refusal.js';

/** How long data counts as fresh when the user moves between pages. */
const FRESH_MS = 5_000;

/** Marks a call that changes nothing, so that nothing is refetched after it. */
export const CHANGES_NOTHING = { changesNothing: true };

/** Marks a change that leaves the page: what the page shows may be gone, and is not refetched. */
export const LEAVES_PAGE = { leavesPage: true };

/**
 * The cache of one session. After every change everything on screen is refetched before the change counts as done. The
 * variables of a change are forgotten at once, since they may hold a credential.
 */
export function createQueryClient(onSignedOut: (message: string) => void): QueryClient {
  const leaveIfSignedOut = (error: unknown) => {
    const refusal = callRefusalOf(error);
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
