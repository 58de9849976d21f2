import { DAY_MS } from '../base/clock.js';
import type { NanoUsd } from '../base/money.js';
import { invalid, type Violation } from '../base/problem.js';
import { UNKNOWN_WORKSPACE } from '../identity/key-rules.js';
import type { BoundedList, Page } from './page.js';
import type { RecordNameReader, RecordNames } from './record-names.js';
import { orderViolations } from './rules.js';

/** What rows of activity may be of. */
export const ACTIVITY_GROUPS = [
  'date',
  'hour',
  'model',
  'provider',
  'workspace',
  'api_key',
  'user',
  'api',
  'run',
  'agent',
  'end_user',
] as const;
export type ActivityGroup = (typeof ACTIVITY_GROUPS)[number];

export const DEFAULT_GROUPS: readonly ActivityGroup[] = ['date', 'model', 'provider', 'workspace', 'api_key'];

/** Usage of what it is grouped by; undefined = not grouped by it. */
export interface ActivityRow {
  /** YYYY-MM-DD. */
  readonly date?: string | undefined;
  /** YYYY-MM-DDThh:00:00Z. */
  readonly hour?: string | undefined;
  /** The model that answered, or the requested one when none did. */
  readonly model?: string | undefined;
  /** null when no provider answered. */
  readonly provider?: string | null | undefined;
  readonly workspaceId?: string | undefined;
  readonly apiKeyHash?: string | undefined;
  readonly userId?: string | undefined;
  readonly api?: string | undefined;
  /** These four are null where the request named none. */
  readonly runId?: string | null | undefined;
  readonly run?: string | null | undefined;
  readonly agentId?: string | null | undefined;
  readonly endUser?: string | null | undefined;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly cachedTokens: number;
  /** Charged to credits. */
  readonly usageNanoUsd: NanoUsd;
  /** List-price cost over BYOK keys. */
  readonly byokUsageNanoUsd: NanoUsd;
  readonly byokFeeNanoUsd: NanoUsd;
  /** Means, in milliseconds; null where nothing was measured. */
  readonly latencyMs: number | null;
  readonly firstTokenMs: number | null;
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
  /** Words of `ACTIVITY_GROUPS`; null = the default ones. */
  readonly groupBy: readonly string[] | null;
}

/** In Unix milliseconds: `fromMs` inclusive, `beforeMs` exclusive. */
export interface ActivityRange extends ActivityFilter, Page {
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  readonly groupBy: readonly ActivityGroup[];
}

export interface ActivityReader {
  /** Newest day and hour first, then in the order of `ACTIVITY_GROUPS`. */
  readActivity(accountId: string, window: ActivityRange): Promise<BoundedList<ActivityRow>>;
}

/** A page with the names of its keys and workspaces. */
export interface NamedActivity extends BoundedList<ActivityRow> {
  readonly nameOf: RecordNames;
}

export interface ActivityDependencies {
  readonly reader: ActivityReader;
  readonly names: RecordNameReader;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Throws a 400 Problem for an invalid date or group and for a workspace that the account has never had. */
export async function listActivity(
  { reader, names }: ActivityDependencies,
  accountId: string,
  query: ActivityQuery,
): Promise<NamedActivity> {
  const { from, to, groupBy, ...filter } = query;
  const violations = activityViolations(query);
  const { workspaceId } = filter;
  if (workspaceId !== null && !(await names.hadWorkspace(accountId, workspaceId))) {
    violations.push(UNKNOWN_WORKSPACE);
  }
  if (violations.length > 0) throw invalid(violations);
  const fromMs = from === null ? null : Date.parse(from);
  const beforeMs = to === null ? null : Date.parse(to) + DAY_MS;
  const groups = groupBy?.filter(isGroup) ?? DEFAULT_GROUPS;
  const page = await reader.readActivity(accountId, { ...filter, fromMs, beforeMs, groupBy: groups });
  return {
    ...page,
    nameOf: await names.namesOf(accountId, {
      apiKeyHashes: page.records.flatMap(({ apiKeyHash }) => apiKeyHash ?? []),
      workspaceIds: page.records.flatMap((row) => row.workspaceId ?? []),
      byokKeyIds: [],
    }),
  };
}

/**
 * A violation for each of `from` and `to` that is not a date, when `from` is later than `to`, and for words of `group_by` that
 * nothing is grouped by.
 */
export function activityViolations({
  from,
  to,
  groupBy,
}: Pick<ActivityQuery, 'from' | 'to' | 'groupBy'>): Violation[] {
  const isInvalid = (date: string | null) => date !== null && midnightOf(date) === undefined;
  const violation = (field: string) => ({ field, rule: 'date', message: 'must be a date (YYYY-MM-DD)' });
  return [
    ...(isInvalid(from) ? [violation('from')] : []),
    ...(isInvalid(to) ? [violation('to')] : []),
    ...orderViolations(midnightOf(from ?? ''), midnightOf(to ?? '')),
    ...(groupBy === null || groupBy.every(isGroup) ? [] : [UNKNOWN_GROUP]),
  ];
}

const UNKNOWN_GROUP: Violation = {
  field: 'group_by',
  rule: 'in',
  message: `must be words of ${ACTIVITY_GROUPS.join(', ')}, separated by commas`,
};

function isGroup(word: string): word is ActivityGroup {
  return ACTIVITY_GROUPS.some((group) => group === word);
}

/** The start of the day; undefined for an invalid date. `Date.parse` alone may accept the 31st of any month. */
function midnightOf(text: string): number | undefined {
  const midnight = DATE.test(text) ? Date.parse(text) : Number.NaN;
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text);
  return isDay ? midnight : undefined;
}
