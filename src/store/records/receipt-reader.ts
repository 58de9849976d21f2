import type { Selectable } from 'kysely';
import type { ReceiptEntry, ReceiptReader } from '../../inference/ports/receipt.js';
import { readCounts } from '../../receipts/counts.js';
import { receiptLines } from '../../receipts/receipt.js';
import { NO_TERMS_ID, readTerms, type TermsContent } from '../../receipts/terms.js';
import type { Database } from '../database/database.js';
import { droppedBefore } from '../query/dropped-before.js';
import type { GenerationTable } from '../schema/usage-schema.js';
import { findRow } from './generation-filter.js';
import { generationOfRow } from './generation-rows.js';

export function createReceiptReader(database: Database): ReceiptReader {
  return {
    async find(id, scope) {
      const row = await findRow(database, id, scope);
      if (row === undefined) return undefined;
      const terms = await termsOfRow(database, row);
      if (terms === undefined) return null;
      const generation = generationOfRow(row);
      const listNanoUsd = generation.upstreamInferenceCostNanoUsd ?? generation.usageNanoUsd;
      const metered = readCounts(generation, row.counts_json);
      return {
        generation,
        terms,
        listNanoUsd,
        ...receiptLines(terms ?? NOTHING, metered, listNanoUsd),
        allowanceLeftNanoUsd: row.allowance_left_nano_usd,
        ledgerEntries: await entriesOf(database, id),
      };
    },
  };
}

/** Of a request that nothing was billed of. */
const NOTHING: TermsContent = { base: {} };

/** null = nothing was billed; undefined = the record has no receipt. */
async function termsOfRow(
  { query }: Database,
  { terms_id: id }: Selectable<GenerationTable>,
): Promise<TermsContent | null | undefined> {
  if (id === null) return undefined;
  if (id === NO_TERMS_ID) return null;
  const found = query.selectFrom('billing_terms').select('content_json').where('id', '=', id);
  const terms = await found.executeTakeFirst();
  return terms && readTerms(terms.content_json);
}

async function entriesOf({ query }: Database, generationId: string): Promise<readonly ReceiptEntry[]> {
  const rows = await query
    .selectFrom('ledger_entry')
    .select(['id', 'kind', 'amount_nano_usd'])
    .where('generation_id', '=', generationId)
    .where('created_at', '>=', droppedBefore('ledger_entry'))
    .orderBy('kind')
    .execute();
  return rows.map(({ id, kind, amount_nano_usd }) => ({ id, kind, amountNanoUsd: amount_nano_usd }));
}
