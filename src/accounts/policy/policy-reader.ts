import { BoundedCache, type CacheBounds, type CacheReport } from '../../base/memory/bounded-cache.js';
import type { SpendLimit } from '../../ledger/limits.js';
import type { Keyholder } from '../../ledger/payer.js';
import type { Guardrail } from '../guardrails/guardrail.js';
import { budgetLimits, type CallerPolicy, combinePolicies, type PolicySources } from './policy.js';

export interface PolicyStore {
  /**
   * Everything that applies to the member in the workspace, whatever the key. A member or workspace that does not exist
   * restricts nothing.
   */
  readSources(accountId: string, userId: string, workspaceId: string): Promise<PolicySources>;
  /** The guardrails that are assigned to the key; none for one that does not exist. */
  readKeyGuardrails(accountId: string, keyHash: string): Promise<readonly Guardrail[]>;
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
   * object until a policy changes, and for all keys of a member in a workspace that have no guardrail of their own.
   */
  callerPolicy(
    accountId: string,
    keyHash: string,
    userId: string,
    workspaceId: string,
  ): Promise<AppliedPolicy>;
  cacheReports(): readonly CacheReport[];
}

/** The policies of some 16,000 API keys that are in use at the same time, with few guardrails. */
const POLICIES: CacheBounds = { name: 'policies', maxBytes: 64 * 2 ** 20, entryBytes: 2_048 };

/** Room for what applies to some 8,000 members of workspaces. */
const SHARED: CacheBounds = { name: 'shared_policies', maxBytes: 16 * 2 ** 20, entryBytes: 2_048 };

/** Callers cached for a key. A key has one member and one workspace, so there is hardly ever a second. */
const CALLERS_PER_KEY = 4;

/** A policy that was read, or is being read, for one caller with a key. */
interface Reading {
  readonly accountId: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly policy: Promise<AppliedPolicy>;
}

/** What applies to all keys of a member in a workspace, and the policy of those without a guardrail of their own. */
interface Shared {
  readonly sources: PolicySources;
  readonly policy: AppliedPolicy;
}

/** Caches policies until one of them changes. */
export function createPolicyReader(store: PolicyStore): PolicyReader {
  let readings = new BoundedCache<string, Reading[]>(POLICIES);
  let shared = new BoundedCache<string, Promise<Shared>>(SHARED);
  // Also drops reads in progress, which may return outdated policies.
  store.onPolicyChange(() => {
    readings = new BoundedCache(POLICIES);
    shared = new BoundedCache(SHARED);
  });

  const sharedOf = (payer: Keyholder): Promise<Shared> => {
    const cache = shared;
    const key = JSON.stringify([payer.accountId, payer.userId, payer.workspaceId]);
    return cache.getOrMake(key, () => {
      const reading = readShared(store, payer);
      reading.catch(() => cache.delete(key));
      return reading;
    });
  };
  const read = async (payer: Keyholder): Promise<AppliedPolicy> => {
    const [{ sources, policy }, own] = await Promise.all([
      sharedOf(payer),
      store.readKeyGuardrails(payer.accountId, payer.apiKeyHash),
    ]);
    if (own.length === 0) return policy;
    const ofKey = own.map((guardrail) => ({ scope: 'key', guardrail }) as const);
    return applied({ ...sources, guardrails: [...ofKey, ...sources.guardrails] }, payer);
  };

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
        policy: read({ accountId, workspaceId, apiKeyHash: keyHash, userId }).catch((error: unknown) => {
          forget(ofKey, reading);
          throw error;
        }),
      };
      if (ofKey.length === CALLERS_PER_KEY) ofKey.shift();
      ofKey.push(reading);
      return reading.policy;
    },
    cacheReports: () => [readings.report, shared.report],
  };
}

async function readShared(store: PolicyStore, payer: Keyholder): Promise<Shared> {
  const sources = await store.readSources(payer.accountId, payer.userId, payer.workspaceId);
  return { sources, policy: applied(sources, payer) };
}

function applied(sources: PolicySources, payer: Keyholder): AppliedPolicy {
  const policy = combinePolicies(sources);
  return { ...policy, limits: budgetLimits(policy, payer) };
}

function forget(readings: Reading[], reading: Reading): void {
  const index = readings.indexOf(reading);
  if (index !== -1) readings.splice(index, 1);
}
