import type { AccountHmacKeyStore } from '../../byok/vault/account-hmac-keys.js';
import type { Sealed } from '../../byok/vault/vault.js';
import type { Database } from '../database/database.js';
import { toSealed, toSealedColumns } from '../schema/sealed-columns.js';

/** The sealed keys of accounts (table `mark_key`). A key that is stored is never lost to another one, but to a replacement. */
export function createAccountHmacKeyStore(database: Database): AccountHmacKeyStore {
  const stored = async (accountId: string): Promise<Sealed | undefined> => {
    const row = await database.query
      .selectFrom('mark_key')
      .selectAll()
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    return row && toSealed(row);
  };
  return {
    async sealedKey(accountId, make, unreadable) {
      const known = await stored(accountId);
      if (known !== undefined && !isSame(known, unreadable)) return known;
      const made = make();
      return database.transact([], async (tx) => {
        const columns = toSealedColumns(made);
        if (unreadable !== undefined) {
          await tx
            .updateTable('mark_key')
            .set(columns)
            .where('account_id', '=', accountId)
            .where('ciphertext', '=', unreadable.ciphertext)
            .execute();
        }
        await tx
          .insertInto('mark_key')
          .values({ account_id: accountId, ...columns })
          .onConflict((conflict) => conflict.column('account_id').doNothing())
          .execute();
        const row = await tx
          .selectFrom('mark_key')
          .selectAll()
          .where('account_id', '=', accountId)
          .executeTakeFirstOrThrow();
        return toSealed(row);
      });
    },
  };
}

function isSame(one: Sealed, other: Sealed | undefined): boolean {
  return other?.ciphertext.equals(one.ciphertext) === true;
}
