import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/account/create-account.js';
import { systemClock } from '../../src/base/clock.js';
import { systemIds } from '../../src/base/ids.js';
import { AccountHmacKeys } from '../../src/byok/vault/account-hmac-keys.js';
import { MasterKey, masterKeys } from '../../src/byok/vault/master-key.js';
import { unreadableRecords } from '../../src/byok/vault/sealed-records.js';
import { createVault, type Vault } from '../../src/byok/vault/vault.js';
import { createAccountHmacKeyStore } from '../../src/store/byok/account-hmac-key-store.js';
import { createSealedCredentialStore } from '../../src/store/byok/sealed-credential-store.js';
import type { Database } from '../../src/store/database/database.js';
import { createAccountStore } from '../../src/store/tables/account-store.js';
import { DATABASE_KINDS, withDatabase } from '../support/database.js';

const FIRST = new MasterKey(randomBytes(32));
const SECOND = new MasterKey(randomBytes(32));
const vaultOf = (...keys: MasterKey[]) => createVault(masterKeys('test', keys));

async function accountIn(database: Database): Promise<string> {
  const dependencies = { store: createAccountStore(database), clock: systemClock, ids: systemIds };
  return (await createAccount(dependencies, { name: 'Test', plan: 'pay_as_you_go' })).account.id;
}

/** What another process would have, with the errors that it reports. */
function process(database: Database, vault: Vault = vaultOf(FIRST)) {
  const errors: unknown[] = [];
  const report = (error: unknown) => void errors.push(error);
  const marks = new AccountHmacKeys({ store: createAccountHmacKeyStore(database), vault, report });
  const sign = async (accountId: string) =>
    (await marks.signerOf(accountId))?.signatureOf('payload').toString('hex');
  return { marks, sign, errors };
}

/** Brings everything that is sealed under another master key. */
async function rotate(database: Database, vault: Vault): Promise<void> {
  const store = createSealedCredentialStore(database);
  const page = { after: '', count: 100 };
  await store.rewrapStale('mark', vault.masterKeyId, page, ({ sealed, context }) =>
    vault.rewrap(sealed, context),
  );
}

describe.each(DATABASE_KINDS)('the key for the marks of an account, on %s,', (kind) => {
  it('is one for all processes, whichever needs it first', async () => {
    const database = await withDatabase(kind);
    const accountId = await accountIn(database);
    const processes = Array.from({ length: 8 }, () => process(database));
    const signatures = new Set(await Promise.all(processes.map(({ sign }) => sign(accountId))));
    expect([...signatures]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(await process(database).sign(accountId)).toBe([...signatures][0]);
  });

  it('is another one for each account', async () => {
    const database = await withDatabase(kind);
    const [one, other] = [await accountIn(database), await accountIn(database)];
    const { sign } = process(database);
    expect(await sign(one)).not.toBe(await sign(other));
  });

  it('stays the same under another master key, and needs the former one no more', async () => {
    const database = await withDatabase(kind);
    const accountId = await accountIn(database);
    const before = await process(database).sign(accountId);
    await rotate(database, vaultOf(SECOND, FIRST));
    expect(await process(database, vaultOf(SECOND)).sign(accountId)).toBe(before);
  });

  it('is replaced where its master key is lost, by the same one in all processes', async () => {
    const database = await withDatabase(kind);
    const accountId = await accountIn(database);
    const before = await process(database).sign(accountId);
    const processes = Array.from({ length: 4 }, () => process(database, vaultOf(SECOND)));
    const signatures = new Set(await Promise.all(processes.map(({ sign }) => sign(accountId))));
    expect(signatures.size).toBe(1);
    expect(signatures.has(before)).toBe(false);
    expect(processes.flatMap(({ errors }) => errors)).toEqual([]);
  });

  it('is no credential, whose loss would keep a server from starting', async () => {
    const database = await withDatabase(kind);
    await process(database).sign(await accountIn(database));
    const store = createSealedCredentialStore(database);
    const found: unknown[] = [];
    for await (const record of unreadableRecords(store, vaultOf(SECOND))) found.push(record);
    expect(found).toEqual([]);
    expect(await store.newestSealed(1)).toEqual([]);
  });

  it('is stored sealed, and shown by nothing that holds it', async () => {
    const database = await withDatabase(kind);
    const accountId = await accountIn(database);
    const vault = vaultOf(FIRST);
    const { marks } = process(database, vault);
    const signer = await marks.signerOf(accountId);
    const row = await database.query.selectFrom('mark_key').selectAll().executeTakeFirstOrThrow();
    const sealed = {
      ciphertext: row.ciphertext,
      wrappedDataKey: row.wrapped_data_key,
      masterKeyId: row.master_key_id,
    };
    const key = vault.open(sealed, { id: accountId, accountId });
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect(inspect([marks, signer], { depth: 10, showHidden: true })).not.toContain(key);
    expect(row.ciphertext.includes(Buffer.from(key))).toBe(false);
  });

  it('that can’t be had is reported, and asked for again the next time', async () => {
    const database = await withDatabase(kind);
    const accountId = await accountIn(database);
    const errors: unknown[] = [];
    const store = createAccountHmacKeyStore(database);
    let isAway = true;
    const marks = new AccountHmacKeys({
      store: {
        sealedKey: (...args) => (isAway ? Promise.reject(new Error('away')) : store.sealedKey(...args)),
      },
      vault: vaultOf(FIRST),
      report: (error) => void errors.push(error),
    });
    expect(await marks.signerOf(accountId)).toBeUndefined();
    expect(errors).toEqual([new Error('away')]);
    isAway = false;
    expect(await marks.signerOf(accountId)).toBeDefined();
  });
});
