import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { invalid, notFound } from '../base/problem.js';
import { checkName } from './key-rules.js';
import type { ManagementKeyPrincipal } from './principal.js';
import { mintSecret } from './secret.js';

/** A client application: it creates and administers API keys of its own within an account. */
export interface Client {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The member that its keys belong to. */
  readonly userId: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** `userId` null = `defaultClientUser`. */
export interface NewClient {
  readonly name: string;
  readonly userId: string | null;
}

/** The member that the keys of a client belong to by default. */
export function defaultClientUser(clientId: string): string {
  return `client:${clientId}`;
}

/** Every method is one transaction and ignores deleted clients. */
export interface ClientStore {
  addClient(client: Client, secretHash: string): Promise<void>;
  /** A page of the account's clients by `createdAt`, then id, and the count of all. */
  listClients(
    accountId: string,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ clients: readonly Client[]; totalCount: number }>;
  /** Deletes the client and disables all keys that it created. false when there was no such client. */
  deleteClient(accountId: string, id: string, nowMs: number): Promise<boolean>;
}

export interface ClientDependencies {
  readonly store: ClientStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** `secret` is shown only once. Throws a 400 Problem that names every violation. */
export async function createClient(
  { store, clock, ids }: ClientDependencies,
  { accountId }: ManagementKeyPrincipal,
  { name, userId }: NewClient,
): Promise<{ client: Client; secret: string }> {
  const violations = checkName('name', name);
  if (userId !== null) violations.push(...checkName('user_id', userId));
  if (violations.length > 0) throw invalid(violations);
  const { text, hash } = mintSecret('client', ids);
  const id = ids.uuid();
  const client = { id, accountId, name, userId: userId ?? defaultClientUser(id), createdAt: clock.now() };
  await store.addClient(client, hash);
  return { client, secret: text };
}

/** Invalidates the secret of the client and disables its keys. Throws 404 when there is none. */
export async function deleteClient(
  { store, clock }: Pick<ClientDependencies, 'store' | 'clock'>,
  { accountId }: ManagementKeyPrincipal,
  id: string,
): Promise<void> {
  if (!(await store.deleteClient(accountId, id, clock.now()))) throw notFound();
}
