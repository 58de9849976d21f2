import type { Database } from '../database.js';

/** The account of a batch, for the operator, who may see all; undefined when there is no such batch. */
export async function lookUpBatch({ query }: Database, id: string): Promise<string | undefined> {
  const batch = query.selectFrom('batch').select('account_id').where('id', '=', id);
  return (await batch.executeTakeFirst())?.account_id;
}
