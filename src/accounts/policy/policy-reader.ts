import { BoundedCache, type CacheBounds, type CacheReport } from '../../base/memory/bounded-cache.js';
import type { SpendLimit } from '../../ledger/limits.js';
import type { Payer } from '../../ledger/payer.js';
import { budgetLimits, type CallerPolicy, combinePolicies, type PolicySources } from './policy.js';

export interface PolicyStore {
  /** Everything that applies to the caller. A key, member or workspace that does not exist restricts nothing. */
  readSources(
    accountId: string,
    keyHash: string,
    userId: string,
    workspaceId: string,
  ): Promise<PolicySources>;
  /** Calls the listener whenever a policy may have changed, in this or another process. */
  onPolicyChange(listener: () => void): void;
}

/** A policy with its budgets as limits on the spending of one caller. */
export interface AppliedPolicy extends CallerPolicy {
  readonly limits: readonly SpendLimit[];
}

export interface PolicyReader {
  /**
   * The policy of a request with the API key on behalf of the member, in the key's workspace. Resolves to the same
   * object until a policy changes.
   */
  callerPolicy(
    accountId: string,
    keyHash: string,
    userId: string,
    workspaceId: string,
  ): Promise<AppliedPolicy>;
  cacheReport(): CacheReport;
}

/** The policies of some 16,000 API keys that are in use at the same time, with few guardrails. */
const POLICIES: CacheBounds = { name: 'policies', maxBytes: 64 * 2 ** 20, entryBytes: 2_048 };

/** Callers cached for a key. A key has one member and one workspace, so there is hardly ever a second. */
const CALLERS_PER_KEY = 4;

/** A policy that was read, or is being read, for one caller with a key. */
interface Reading {
  readonly accountId: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly policy: Promise<AppliedPolicy>;
}

/** Caches policies until one of them changes. */
export function createPolicyReader(store: PolicyStore): PolicyReader {
  let readings = new BoundedCache<string, Reading[]>(POLICIES);
  // Also drops reads in progress, which may return outdated policies.
  store.onPolicyChange(() => {
    readings = new BoundedCache(POLICIES);
  });
  return {
    callerPolicy(accountId, keyHash, userId, workspaceId) {
      const ofKey = readings.getOrMake(keyHash, () => []);
      const known = ofKey.find(
        (one) => one.accountId === accountId && one.userId === userId && one.workspaceId === workspaceId,
      );
      if (known !== undefined) return known.policy;
      const reading: Reading = {
        accountId,
        userId,
        workspaceId,
        policy: read(store, { accountId, workspaceId, apiKeyHash: keyHash, userId }).catch(
          (error: unknown) => {
            forget(ofKey, reading);
            throw error;
          },
        ),
      };
      if (ofKey.length === CALLERS_PER_KEY) ofKey.shift();
      ofKey.push(reading);
      return reading.policy;
    },
    cacheReport: () => readings.report,
  };
}

async function read(store: PolicyStore, payer: Payer): Promise<AppliedPolicy> {
  const { accountId, apiKeyHash, userId, workspaceId } = payer;
  const policy = combinePolicies(await store.readSources(accountId, apiKeyHash, userId, workspaceId));
  return { ...policy, limits: budgetLimits(policy, payer) };
}

function forget(readings: Reading[], reading: Reading): void {
  const index = readings.indexOf(reading);
  if (index !== -1) readings.splice(index, 1);
}
