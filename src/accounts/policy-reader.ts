import { LruMap } from '../base/lru-map.js';
import { type CallerPolicy, combinePolicies, type PolicySources } from './policy.js';

/** Where policies come from. */
export interface PolicyStore {
  /** Everything that bears on the caller. A key, member or workspace that is not there restricts nothing. */
  readSources(
    accountId: string,
    keyHash: string,
    userId: string,
    workspaceId: string,
  ): Promise<PolicySources>;
  /** Calls the listener whenever any policy may have changed, here or in another process. */
  onPolicyChange(listener: () => void): void;
}

/** Tells what a caller may do. */
export interface PolicyReader {
  /** The policy of a request with the API key on behalf of the member, in the key's workspace. */
  callerPolicy(
    accountId: string,
    keyHash: string,
    userId: string,
    workspaceId: string,
  ): Promise<CallerPolicy>;
}

/** Policies remembered at once: more callers than are active within a short time. */
const POLICY_BOUND = 10_000;

type Policies = LruMap<string, Promise<CallerPolicy>>;

/** A reader that remembers policies until one of them changes. */
export function createPolicyReader(store: PolicyStore): PolicyReader {
  let policies: Policies = new LruMap(POLICY_BOUND);
  // What is being read at this moment goes too: it may be outdated.
  const forget = (): void => {
    policies = new LruMap(POLICY_BOUND);
  };
  store.onPolicyChange(forget);
  return {
    callerPolicy(accountId, keyHash, userId, workspaceId) {
      // Of the four only the user identifier is free text.
      const caller = `${accountId} ${keyHash} ${workspaceId} ${userId}`;
      const remembered = policies;
      return remembered.getOrMake(caller, () =>
        store
          .readSources(accountId, keyHash, userId, workspaceId)
          .then(combinePolicies)
          .catch((error: unknown) => {
            remembered.delete(caller);
            throw error;
          }),
      );
    },
  };
}
