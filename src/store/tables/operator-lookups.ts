/** Look-ups for the command line: whoever runs the gateway may see every account. */
import type { Database } from '../database/database.js';

export interface FoundKey {
  readonly hash: string;
  readonly name: string;
  readonly label: string;
  readonly accountId: string;
}

/** The key of that hash; with null the oldest key of the oldest account that has one. Leaves out deleted keys. */
export async function lookUpKey({ query }: Database, hash: string | null): Promise<FoundKey | undefined> {
  const row = await query
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .select(['api_key.hash', 'api_key.name', 'api_key.label', 'api_key.account_id'])
    .where('api_key.deleted_at', 'is', null)
    .$if(hash !== null, (keys) => keys.where('api_key.hash', '=', hash))
    .orderBy('account.created_at')
    .orderBy('account.id')
    .orderBy('api_key.created_at')
    .orderBy('api_key.hash')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { hash: row.hash, name: row.name, label: row.label, accountId: row.account_id };
}

export interface FoundByokKey {
  readonly id: string;
  readonly provider: string;
  readonly label: string;
  readonly name: string | null;
  readonly accountId: string;
}

export async function lookUpByokKey({ query }: Database, id: string): Promise<FoundByokKey | undefined> {
  const row = await query
    .selectFrom('byok_key')
    .select(['id', 'provider', 'label', 'name', 'account_id'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { account_id: accountId, ...rest } = row;
  return { ...rest, accountId };
}

/** The account of a batch; undefined when there is no such batch. */
export async function lookUpBatch({ query }: Database, id: string): Promise<string | undefined> {
  const batch = query.selectFrom('batch').select('account_id').where('id', '=', id);
  return (await batch.executeTakeFirst())?.account_id;
}
