import { createAccount } from '../../src/accounts/account/create-account.js';
import { KEEP } from '../../src/base/change.js';
import { systemIds } from '../../src/base/ids.js';
import { type Authenticator, createAuthenticator } from '../../src/identity/authenticate.js';
import { createClient } from '../../src/identity/client.js';
import { createKey, type NewKey } from '../../src/identity/create-key.js';
import type {
  ClientPrincipal,
  KeyAdministrator,
  ManagementKeyPrincipal,
} from '../../src/identity/principal.js';
import type { KeyChanges } from '../../src/identity/update-key.js';
import type { Database } from '../../src/store/database/database.js';
import { createUsageReader } from '../../src/store/ledger/usage-reader.js';
import { createAccountStore } from '../../src/store/tables/account-store.js';
import { createCredentialStore } from '../../src/store/tables/caller-credential-store.js';
import { createClientStore } from '../../src/store/tables/client-store.js';
import { createKeyStore } from '../../src/store/tables/key-store.js';
import { createManagementKeyStore } from '../../src/store/tables/management-key-store.js';
import { withDatabase } from '../support/database.js';

/** A Wednesday. */
export const START = Date.parse('2026-03-18T12:00:00Z');

/** A clock that only changes when a test sets it. */
export interface TestClock {
  nowMs: number;
  now(): number;
}

/** The dependencies of the identity operations. */
export type World = Awaited<ReturnType<typeof createWorld>>;

export async function createWorld() {
  return worldOn(await withDatabase());
}

/** On a database that other worlds may share, as further processes do. */
export function worldOn(database: Database) {
  const clock: TestClock = { nowMs: START, now: () => clock.nowMs };
  const common = { clock, ids: systemIds };
  const authenticator: Authenticator = createAuthenticator(createCredentialStore(database));
  return {
    database,
    clock,
    accounts: { store: createAccountStore(database), ...common },
    keys: { store: createKeyStore(database), usage: createUsageReader(database, null), ...common },
    managementKeys: { store: createManagementKeyStore(database), ...common },
    clients: { store: createClientStore(database), ...common },
    /** Authenticates with the secret as a bearer token, at the clock's instant. */
    login: (secret: string) => authenticator.authenticate(`Bearer ${secret}`, clock.now()),
    authenticate: (header: string | undefined) => authenticator.authenticate(header, clock.now()),
  };
}

/** Creates an account and authenticates its management key. */
export async function newAccount(world: World) {
  const created = await createAccount(world.accounts, { name: 'Acme', plan: 'pay_as_you_go' });
  const principal = await world.login(created.managementKey);
  if (principal.kind !== 'management_key') throw new Error('not a management key');
  return { ...created, principal };
}

/** Creates a client application and authenticates it. */
export async function newClient(world: World, owner: ManagementKeyPrincipal) {
  const { client, secret } = await createClient(world.clients, owner, { name: 'App', userId: null });
  const principal = await world.login(secret);
  if (principal.kind !== 'client') throw new Error('not a client');
  return { client, secret, principal: principal satisfies ClientPrincipal };
}

/** Creates a key with default values. */
export function newKey(world: World, administrator: KeyAdministrator, over: Partial<NewKey> = {}) {
  return createKey(world.keys, administrator, { ...PLAIN_KEY, ...over });
}

/** An update of the given fields only. */
export function changes(over: Partial<KeyChanges>): KeyChanges {
  return { ...KEEP_ALL, ...over };
}

const PLAIN_KEY: NewKey = {
  name: 'Key',
  limitNanoUsd: null,
  limitReset: null,
  includeByokInLimit: false,
  endUserLimitNanoUsd: null,
  endUserLimitReset: null,
  endUserRequired: false,
  cacheTtl: null,
  expiresAt: null,
  workspaceId: null,
  creatorUserId: null,
};

const KEEP_ALL: KeyChanges = {
  name: KEEP,
  disabled: KEEP,
  limitNanoUsd: KEEP,
  limitReset: KEEP,
  includeByokInLimit: KEEP,
  endUserLimitNanoUsd: KEEP,
  endUserLimitReset: KEEP,
  endUserRequired: KEEP,
  cacheTtl: KEEP,
};
