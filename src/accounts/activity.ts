import type { NanoUsd } from '../base/money.js';
import { invalid, type Violation } from '../base/problem.js';
import { UNKNOWN_WORKSPACE } from '../identity/key-rules.js';
import type { AccountStore } from './account.js';
import type { BoundedList, Page } from './page.js';
import { orderViolations } from './policy/rules.js';

/** The usage of one API key, model and provider on one UTC day. */
export interface ActivityRow {
  /** YYYY-MM-DD. */
  readonly date: string;
  /** The model that answered, or the requested one when none did. */
  readonly model: string;
  /** null when no provider answered. */
  readonly provider: string | null;
  readonly workspaceId: string;
  readonly apiKeyHash: string;
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  /** Charged to credits. */
  readonly usageNanoUsd: NanoUsd;
  /** List-price cost over BYOK keys. */
  readonly byokUsageNanoUsd: NanoUsd;
}

/** null = all. */
export interface ActivityFilter {
  readonly apiKeyHash: string | null;
  readonly workspaceId: string | null;
}

/** Days are UTC dates (YYYY-MM-DD), both inclusive. */
export interface ActivityQuery extends ActivityFilter, Page {
  readonly from: string | null;
  readonly to: string | null;
}

/** In Unix milliseconds: `fromMs` inclusive, `beforeMs` exclusive. */
export interface ActivityWindow extends ActivityFilter, Page {
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
}

export interface ActivityReader {
  /** Newest day first; within a day by model, provider, workspace and key. */
  readActivity(accountId: string, window: ActivityWindow): Promise<BoundedList<ActivityRow>>;
}

export interface ActivityDependencies {
  readonly reader: ActivityReader;
  readonly accounts: Pick<AccountStore, 'findWorkspace'>;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

/** Throws a 400 Problem for an invalid date and for a workspace that the account does not have. */
export async function listActivity(
  { reader, accounts }: ActivityDependencies,
  accountId: string,
  query: ActivityQuery,
): Promise<BoundedList<ActivityRow>> {
  const { from, to, ...filter } = query;
  const violations = dateViolations(query);
  const { workspaceId } = filter;
  if (workspaceId !== null && (await accounts.findWorkspace(accountId, workspaceId)) === undefined) {
    violations.push(UNKNOWN_WORKSPACE);
  }
  if (violations.length > 0) throw invalid(violations);
  const fromMs = from === null ? null : Date.parse(from);
  const beforeMs = to === null ? null : Date.parse(to) + DAY_MS;
  return reader.readActivity(accountId, { ...filter, fromMs, beforeMs });
}

/** A violation for each of `from` and `to` that is not a date, or when `from` is later than `to`. */
export function dateViolations({ from, to }: Pick<ActivityQuery, 'from' | 'to'>): Violation[] {
  const isInvalid = (date: string | null) => date !== null && midnightOf(date) === undefined;
  const violation = (field: string) => ({ field, rule: 'date', message: 'must be a date (YYYY-MM-DD)' });
  return [
    ...(isInvalid(from) ? [violation('from')] : []),
    ...(isInvalid(to) ? [violation('to')] : []),
    ...orderViolations(midnightOf(from ?? ''), midnightOf(to ?? '')),
  ];
}

/** The start of the day; undefined for an invalid date. `Date.parse` alone may accept the 31st of any month. */
function midnightOf(text: string): number | undefined {
  const midnight = DATE.test(text) ? Date.parse(text) : Number.NaN;
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text);
  return isDay ? midnight : undefined;
}
