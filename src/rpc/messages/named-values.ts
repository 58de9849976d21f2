/** Enums, lists of names and amounts between messages and parts. */
import { DataCollection, ProviderSort } from '../../../gen/byway/v1/chat_pb.js';
import { LimitReset, type StringList } from '../../../gen/byway/v1/common_pb.js';
import { BudgetInterval } from '../../../gen/byway/v1/workspaces_pb.js';
import type { Guardrail, Names } from '../../accounts/guardrails/guardrail.js';
import type { Preferences } from '../../accounts/policy/preferences.js';
import type { BudgetInterval as IntervalOfBudget } from '../../accounts/workspaces/budget.js';
import { type Change, CLEAR, mapChange, set } from '../../base/change.js';
import { type NanoUsd, usdToNano } from '../../base/money.js';
import type { Interval } from '../../ledger/windows.js';

/** The interval; null for the value that means nothing, which the contract refuses. */
export function intervalOf(reset: LimitReset): Interval | null {
  return INTERVALS[reset];
}

/** Whether data may be collected, as `intervalOf` does. */
export function dataCollectionOf(collection: DataCollection): Guardrail['dataCollection'] {
  return DATA_COLLECTIONS[collection];
}

/** The sort, as `intervalOf` does. */
export function sortOf(sort: ProviderSort): Preferences['defaultSort'] {
  return SORTS[sort];
}

/** The interval of a budget. The contract refuses the value that means nothing before a service runs. */
export function budgetIntervalOf(interval: BudgetInterval): IntervalOfBudget {
  const named = BUDGET_INTERVALS[interval];
  if (named === null) throw new TypeError('interval is unspecified');
  return named;
}

/** What an update says of a field with such a value. */
export function namedChange<E, T>(change: Change<E>, nameOf: (value: E) => T | null): Change<T> {
  if (change.kind !== 'set') return change;
  const name = nameOf(change.value);
  return name === null ? CLEAR : set(name);
}

/** The names of a list; null when there is none. */
export function namesOf(list: StringList | undefined): Names {
  return list?.values ?? null;
}

/** What an update says of the names of a list. */
export function namesChange(list: Change<StringList>): Change<readonly string[]> {
  return mapChange(list, ({ values }) => values);
}

/** The list with the names; null when there is none. */
export function listOf(names: Names): { values: string[] } | null {
  return names === null ? null : { values: [...names] };
}

/** The exact amount. The contract refuses one with too many decimals before a service runs; a check may still meet it. */
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
