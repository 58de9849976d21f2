/** Where everything that the vault has sealed is stored. */
import type { Kysely, Transaction } from 'kysely';
import { headerContext } from '../../byok/keys/host-headers.js';
import { sharedContext } from '../../byok/keys/operator-credential.js';
import { accountHmacKeyContext } from '../../byok/vault/account-hmac-keys.js';
import type { SealedKind, SealedPage, SealedRecord } from '../../byok/vault/sealed-records.js';
import type { SealContext, Sealed } from '../../byok/vault/vault.js';
import type { Tables } from '../schema/schema.js';
import { toSealed, toSealedColumns } from '../schema/sealed-columns.js';

interface SealedTable {
  readonly table: 'byok_key' | 'shared_credential' | 'provider_header' | 'mark_key' | 'cached_answer';
  /** The column of the id that records are sealed with. */
  readonly id: 'id' | 'provider' | 'account_id' | 'key';
  /** From columns that the table has. */
  contextOf(row: SealedRow): SealContext;
}

interface SealedRow {
  readonly id: string;
  readonly key: string;
  readonly account_id: string;
  readonly provider: string;
  /** Of a BYOK key perhaps null, of a header never. */
  readonly name: string | null;
}

const SEALED_TABLES: Readonly<Record<SealedKind, SealedTable>> = {
  key: { table: 'byok_key', id: 'id', contextOf: (row) => ({ id: row.id, accountId: row.account_id }) },
  shared: { table: 'shared_credential', id: 'provider', contextOf: (row) => sharedContext(row.provider) },
  header: {
    table: 'provider_header',
    id: 'id',
    contextOf: (row) => headerContext(row.provider, String(row.name)),
  },
  mark: { table: 'mark_key', id: 'account_id', contextOf: (row) => accountHmacKeyContext(row.account_id) },
  answer: {
    table: 'cached_answer',
    id: 'key',
    contextOf: (row) => ({ id: row.key, accountId: row.account_id }),
  },
};

/** Records by id; `notUnder` leaves out those wrapped by that master key. */
export async function sealedRecords(
  db: Kysely<Tables>,
  kind: SealedKind,
  { after, count, notUnder }: SealedPage & { readonly notUnder: string | null },
): Promise<SealedRecord[]> {
  const { table, id, contextOf } = SEALED_TABLES[kind];
  const rows = await db
    .selectFrom(table)
    .selectAll()
    .where(id, '>', after)
    .$if(notUnder !== null, (query) => query.where('master_key_id', '!=', notUnder))
    .orderBy(id)
    .limit(count)
    .execute();
  return rows.map((row) => ({ context: contextOf(row), sealed: toSealed(row) }));
}

export async function storeSealed(
  tx: Transaction<Tables>,
  kind: SealedKind,
  recordId: string,
  sealed: Sealed,
): Promise<void> {
  const { table, id } = SEALED_TABLES[kind];
  await tx.updateTable(table).set(toSealedColumns(sealed)).where(id, '=', recordId).execute();
}
