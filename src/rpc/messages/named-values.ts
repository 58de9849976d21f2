/** Converts enums, lists of names and amounts between messages and the domain. */
import { DataCollection, ProviderSort } from '../../../gen/byway/v1/chat_pb.js';
import { LimitReset, type StringList } from '../../../gen/byway/v1/common_pb.js';
import { BudgetInterval } from '../../../gen/byway/v1/workspaces_pb.js';
import type { Guardrail } from '../../accounts/guardrails/guardrail.js';
import type { Preferences } from '../../accounts/policy/preferences.js';
import type { Names } from '../../accounts/rules.js';
import type { BudgetInterval as IntervalOfBudget } from '../../accounts/workspaces/budget.js';
import { type Change, CLEAR, mapChange, set } from '../../base/change.js';
import { type NanoUsd, usdToNano } from '../../base/money.js';
import type { Interval } from '../../ledger/balance/windows.js';

/** Null for UNSPECIFIED, which the contract refuses. */
export function intervalOf(reset: LimitReset): Interval | null {
  return INTERVALS[reset];
}

/** Null for UNSPECIFIED, which the contract refuses. */
export function dataCollectionOf(collection: DataCollection): Guardrail['dataCollection'] {
  return DATA_COLLECTIONS[collection];
}

/** Null for UNSPECIFIED, which the contract refuses. */
export function sortOf(sort: ProviderSort): Preferences['defaultSort'] {
  return SORTS[sort];
}

/** Throws a TypeError for UNSPECIFIED, which the contract refuses before a service runs. */
export function budgetIntervalOf(interval: BudgetInterval): IntervalOfBudget {
  const named = BUDGET_INTERVALS[interval];
  if (named === null) throw new TypeError('interval is unspecified');
  return named;
}

/** The change of an enum field; a value without a name clears it. */
export function namedChange<E, T>(change: Change<E>, nameOf: (value: E) => T | null): Change<T> {
  if (change.kind !== 'set') return change;
  const name = nameOf(change.value);
  return name === null ? CLEAR : set(name);
}

export function namesIn(list: StringList | undefined): Names {
  return list?.values ?? null;
}

export function namesChange(list: Change<StringList>): Change<readonly string[]> {
  return mapChange(list, ({ values }) => values);
}

export function listOf(names: Names): { values: string[] } | null {
  return names === null ? null : { values: [...names] };
}

/**
 * The exact amount; 0 for one with too many decimals, which the contract refuses before a service runs, but not
 * before its checks do.
 */
export function amountOf(usd: number): NanoUsd {
  return usdToNano(usd) ?? 0n;
}

const INTERVALS: Record<LimitReset, Interval | null> = {
  [LimitReset.UNSPECIFIED]: null,
  [LimitReset.DAILY]: 'daily',
  [LimitReset.WEEKLY]: 'weekly',
  [LimitReset.MONTHLY]: 'monthly',
};

const BUDGET_INTERVALS: Record<BudgetInterval, IntervalOfBudget | null> = {
  [BudgetInterval.UNSPECIFIED]: null,
  [BudgetInterval.DAILY]: 'daily',
  [BudgetInterval.WEEKLY]: 'weekly',
  [BudgetInterval.MONTHLY]: 'monthly',
  [BudgetInterval.LIFETIME]: 'lifetime',
};

const DATA_COLLECTIONS: Record<DataCollection, Guardrail['dataCollection']> = {
  [DataCollection.UNSPECIFIED]: null,
  [DataCollection.ALLOW]: 'allow',
  [DataCollection.DENY]: 'deny',
};

const SORTS: Record<ProviderSort, Preferences['defaultSort']> = {
  [ProviderSort.UNSPECIFIED]: null,
  [ProviderSort.PRICE]: 'price',
  [ProviderSort.THROUGHPUT]: 'throughput',
  [ProviderSort.LATENCY]: 'latency',
};
