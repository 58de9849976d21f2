/** The end users that requests of an API key have named. */
import type { Clock } from '../base/clock.js';
import type { NanoUsd } from '../base/money.js';
import { notFound } from '../base/problem.js';
import type { EndUserRules } from '../ledger/end-users.js';
import { endUserRules, type KeyStore, scopeOf } from './api-key.js';
import type { KeyAdministrator } from './principal.js';

export interface EndUser {
  readonly name: string;
  /** Charged to credits, in all. */
  readonly usageNanoUsd: NanoUsd;
  /** At list price over BYOK keys, in all. */
  readonly byokUsageNanoUsd: NanoUsd;
  readonly requests: number;
  /** Of the current window; null without a limit. */
  readonly remainingNanoUsd: NanoUsd | null;
  /** Unix milliseconds: the begin of the last request. */
  readonly lastAt: number;
}

interface Page {
  readonly offset: number;
  readonly limit: number;
}

export interface EndUserReader {
  /** By the last request, newest first, then by name; what remains is as of the instant. `rules` null = no limit. */
  endUsersOf(
    keyHash: string,
    rules: EndUserRules | null,
    page: Page,
    nowMs: number,
  ): Promise<{ readonly endUsers: readonly EndUser[]; readonly totalCount: number }>;
}

export interface EndUserDependencies {
  readonly store: Pick<KeyStore, 'findKey'>;
  readonly endUsers: EndUserReader;
  readonly clock: Clock;
}

/** Throws a 404 Problem for a key outside of the caller's scope. */
export async function listEndUsers(
  { store, endUsers, clock }: EndUserDependencies,
  administrator: KeyAdministrator,
  hash: string,
  page: Page,
) {
  const key = await store.findKey(scopeOf(administrator), hash);
  if (key === undefined) throw notFound();
  return endUsers.endUsersOf(hash, endUserRules(key), page, clock.now());
}
