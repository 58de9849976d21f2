/** Usage by run, agent and end user: sums over the generations that have any of them. */
import { createHash } from 'node:crypto';
import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { GenerationCharges, UnsettledGeneration } from '../../inference/ports/generation.js';
import type { StoredUsageAttributionTable, UsageAttributionTable } from '../schema/attribution-schema.js';
import { USAGE_KEY, USAGE_OF_GENERATION, USAGE_SUM_NAMES, usageRow } from './usage-rollup.js';

export type UsageAttributionRow = Insertable<StoredUsageAttributionTable>;

/** What only this usage is of. */
const ATTRIBUTION_NAMES = [
  'run_id',
  'run',
  'agent_id',
  'end_user',
] as const satisfies readonly (keyof UsageAttributionTable)[];

/** What it is of. */
export const USAGE_ATTRIBUTION_OF = [
  ...USAGE_KEY.slice(0, 2),
  ...ATTRIBUTION_NAMES,
  ...USAGE_KEY.slice(2),
] as readonly (keyof UsageAttributionTable & string)[];

/** Its primary key. */
export const USAGE_ATTRIBUTION_KEY = ['account_id', 'reverse_day', 'names_hash'] as const;

/** `USAGE_ATTRIBUTION_OF_GENERATION` for one that is about to be recorded; undefined where it has no name. */
export function usageAttributionRow(
  generation: UnsettledGeneration,
  charges: GenerationCharges,
): UsageAttributionRow | undefined {
  const { runId, run, agentId, endUser } = generation;
  if (runId === null && agentId === null && endUser === null) return undefined;
  const { daily_flip: _, ...usage } = usageRow(generation, charges);
  const names = { run_id: runId ?? '', run: run ?? '', agent_id: agentId ?? '', end_user: endUser ?? '' };
  const row = { ...usage, ...names };
  return { ...row, names_hash: namesHash(row) };
}

function namesHash(row: Omit<UsageAttributionRow, 'names_hash'>): string {
  const names = USAGE_ATTRIBUTION_OF.map((name) => row[name]);
  return createHash('sha256').update(JSON.stringify(names)).digest('base64url');
}

const EMPTY_NAMES = sql.raw(ATTRIBUTION_NAMES.map((name) => `'' as ${name}`).join(', '));

/** What the row `g` of `generation` adds, and whether it adds anything. */
export const USAGE_ATTRIBUTION_OF_GENERATION = sql`${USAGE_OF_GENERATION}, ${sql.raw(
  ATTRIBUTION_NAMES.map((name) => `coalesce(g.${name}, '') as ${name}`).join(', '),
)}`;
export const HAS_ATTRIBUTION = sql<boolean>`(g.run_id is not null or g.agent_id is not null or g.end_user is not null)`;

/**
 * Rows of usage with the names of those that have any: what has names counts once under them, and once less under none. All
 * sums are those of `usage`; a sum of no requests is of none.
 */
export function withAttribution(
  usage: RawBuilder<unknown>,
  accountId: string,
): RawBuilder<UsageAttributionTable> {
  const columns = refs([...USAGE_KEY, ...USAGE_SUM_NAMES]);
  const less = sql.join([
    ...USAGE_KEY.map((name) => sql.ref(name)),
    ...USAGE_SUM_NAMES.map((name) => sql`-${sql.ref(name)}`),
  ]);
  const own = sql`from usage_attribution where account_id = ${accountId}`;
  return sql`(
    select ${columns}, ${EMPTY_NAMES} from ${usage} as whole where account_id = ${accountId}
    union all select ${less}, ${EMPTY_NAMES} ${own}
    union all select ${columns}, ${refs(ATTRIBUTION_NAMES)} ${own}
  )`;
}

function refs(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(name)));
}
