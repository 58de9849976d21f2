/** Invariants between rows that the schema can't express, for `byway db check`. Each check returns the violations. */
import { sql } from 'kysely';
import { NO_TERMS_ID, termsIdOf } from '../../receipts/terms.js';
import type { Database } from '../database/database.js';
import { droppedBefore } from '../query/dropped-before.js';
import { BYOK_KINDS } from '../schema/ledger-kinds.js';
import { pagesOf } from './table-pages.js';

/** Accounts without exactly one default workspace, and workspaces without their default guardrail. */
export async function brokenWorkspaces({ query }: Database): Promise<string[]> {
  const accounts = await query
    .selectFrom('account')
    .leftJoin('workspace', (join) =>
      join.onRef('workspace.account_id', '=', 'account.id').on('workspace.is_default', '=', 1),
    )
    .select(({ fn }) => ['account.id', fn.count<number>('workspace.id').as('count')])
    .groupBy('account.id')
    .having(({ fn }) => fn.count('workspace.id'), '!=', 1)
    .execute();
  const workspaces = await query
    .selectFrom('workspace')
    .leftJoin('guardrail', (join) =>
      join
        .onRef('guardrail.id', '=', 'workspace.default_guardrail_id')
        .onRef('guardrail.workspace_id', '=', 'workspace.id'),
    )
    .select('workspace.id')
    .where('guardrail.id', 'is', null)
    .execute();
  return [
    ...accounts.map(({ id, count }) => `account ${id} has ${count} default workspaces instead of one`),
    ...workspaces.map(({ id }) => `workspace ${id} has no default guardrail`),
  ];
}

/** Sections of BYOK keys whose positions are not 0..n-1. */
export async function brokenSections({ query }: Database): Promise<string[]> {
  const sections = await query
    .selectFrom('byok_key')
    .select(({ fn }) => [
      'workspace_id',
      'provider',
      'is_fallback',
      fn.countAll<number>().as('count'),
      fn.count<number>('sort_order').distinct().as('positions'),
      fn.min('sort_order').as('first'),
      fn.max('sort_order').as('last'),
    ])
    .groupBy(['workspace_id', 'provider', 'is_fallback'])
    .execute();
  return sections
    .filter(({ count, positions, first, last }) => positions !== count || first !== 0 || last !== count - 1)
    .map(({ workspace_id, provider, is_fallback, count }) => {
      const section = is_fallback === 1 ? 'fallback' : 'prioritized';
      return `the ${section} keys of ${provider} in workspace ${workspace_id} are not at 0..${count - 1}`;
    });
}

/** Generations whose cost differs from the ledger's, and charges without a generation. */
export async function chargeViolations({ query }: Database): Promise<string[]> {
  const byokKinds = sql.join(BYOK_KINDS);
  const wrong = await sql<{ id: string }>`
    select id from generation left join (
      select generation_id,
        sum(case when kind in (${byokKinds}) then amount_nano_usd else 0 end) as byok,
        sum(case when kind in (${byokKinds}) then 0 else amount_nano_usd end) as credit,
        sum(case when kind = 'byok_fee' then amount_nano_usd else 0 end) as fee
      from ledger_entry where generation_id is not null group by generation_id
    ) as charge on charge.generation_id = generation.id
    where created_at >= ${droppedBefore('ledger_entry')} and (coalesce(charge.credit, 0) <> usage_nano_usd
      or coalesce(charge.byok, 0) <> coalesce(upstream_inference_cost_nano_usd, 0)
      or coalesce(charge.fee, 0) <> byok_fee_nano_usd)`.execute(query);
  const orphans = await sql<{ generation_id: string }>`
    select distinct generation_id from ledger_entry
    where generation_id is not null and created_at >= ${droppedBefore('generation')}
      and not exists (select 1 from generation where generation.id = ledger_entry.generation_id)`.execute(
    query,
  );
  return [
    ...wrong.rows.map(({ id }) => `the ledger does not say what generation ${id} says of its cost`),
    ...orphans.rows.map(({ generation_id }) => `generation ${generation_id} is charged and not recorded`),
  ];
}

/** Generations whose prices are not kept, and prices that are not those that their id was made of. */
export async function termsViolations({ query }: Database): Promise<string[]> {
  const missing = await sql<{ id: string }>`
    select id from generation
    where created_at >= ${droppedBefore('generation')} and terms_id <> ${sql.lit(NO_TERMS_ID)}
      and not exists (select 1 from billing_terms where billing_terms.id = generation.terms_id)`.execute(
    query,
  );
  const changed: string[] = [];
  for await (const rows of pagesOf(query, 'billing_terms')) {
    for (const { id, content_json } of rows) {
      if (termsIdOf(String(content_json)) !== id) changed.push(String(id));
    }
  }
  return [
    ...missing.rows.map(({ id }) => `the prices that generation ${id} was billed at are not kept`),
    ...changed.map((id) => `the prices ${id} are not what was billed`),
  ];
}

/** Whether the size that the cache is bounded by is not that of its answers. */
export async function cacheSizeViolations({ query }: Database): Promise<string[]> {
  const size = await query.selectFrom('cached_answers_size').select('bytes').executeTakeFirst();
  const { bytes } = await query
    .selectFrom('cached_answer')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('bytes'), sql<number>`0`).as('bytes'))
    .executeTakeFirstOrThrow();
  const [counted, stored] = [size?.bytes ?? 0, Number(bytes)];
  return counted === stored ? [] : [`cached answers have ${stored} bytes, and ${counted} are counted`];
}
