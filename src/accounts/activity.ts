import type { NanoUsd } from '../base/money.js';
import { invalid, type Violation } from '../base/problem.js';
import { UNKNOWN_WORKSPACE } from '../keys/key-rules.js';
import type { AccountStore } from './account.js';
import type { Listed, Page } from './page.js';

/** What one API key used of one model at one provider on one UTC day (interface section 4). */
export interface ActivityRow {
  /** YYYY-MM-DD. */
  readonly date: string;
  /** Id of the model that served; of the model asked for when none did. */
  readonly model: string;
  /** null when no provider served. */
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

/** Which usage is asked for; null = all of it. */
export interface ActivityFilter {
  readonly apiKeyHash: string | null;
  readonly workspaceId: string | null;
}

/** A request for usage as a caller words it: days are UTC dates (YYYY-MM-DD), both themselves included. */
export interface ActivityQuery extends ActivityFilter, Page {
  readonly from: string | null;
  readonly to: string | null;
}

/** The same with instants in Unix milliseconds: from `fromMs` on and before `beforeMs`. */
export interface ActivityWindow extends ActivityFilter, Page {
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
}

/** Reads usage from the generations and their ledger entries. */
export interface ActivityReader {
  /** Newest day first; within a day by model, provider, workspace and key. */
  readActivity(accountId: string, window: ActivityWindow): Promise<Listed<ActivityRow>>;
}

/** What the activity works with. */
export interface ActivityParts {
  readonly reader: ActivityReader;
  readonly accounts: Pick<AccountStore, 'findWorkspace'>;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

/** A page of the account's usage. Throws a 400 Problem for what is not a date and for a workspace that the account does not have. */
export async function listActivity(
  { reader, accounts }: ActivityParts,
  accountId: string,
  query: ActivityQuery,
): Promise<Listed<ActivityRow>> {
  const { from, to, workspaceId, ...rest } = query;
  const fromMs = from === null ? null : dayStart(from);
  const lastMs = to === null ? null : dayStart(to);
  const violations: Violation[] = [];
  if (fromMs === undefined) violations.push(notADate('from'));
  if (lastMs === undefined) violations.push(notADate('to'));
  if (workspaceId !== null && (await accounts.findWorkspace(accountId, workspaceId)) === undefined) {
    violations.push(UNKNOWN_WORKSPACE);
  }
  if (fromMs === undefined || lastMs === undefined || violations.length > 0) throw invalid(violations);
  const beforeMs = lastMs === null ? null : lastMs + DAY_MS;
  return reader.readActivity(accountId, { ...rest, workspaceId, fromMs, beforeMs });
}

/** The first instant of the UTC day; undefined for what is not a day of the calendar. */
function dayStart(date: string): number | undefined {
  const instant = DATE.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  // `Date` may take the 31st of every month.
  if (Number.isNaN(instant) || !new Date(instant).toISOString().startsWith(date)) return undefined;
  return instant;
}

function notADate(field: string): Violation {
  return { field, rule: 'date', message: 'must be a date (YYYY-MM-DD)' };
}
