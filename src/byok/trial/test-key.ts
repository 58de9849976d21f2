/** Tests a stored key with one cheap call, which is neither charged nor recorded: `docs/credentials.md#testing-a-credential`. */

import { isUuid } from '../../base/ids.js';
import { notFound } from '../../base/problem.js';
import type { Signal } from '../../base/signal.js';
import type { CatalogCache } from '../../catalog/assembled/catalog.js';
import type { CredentialCache, Opened } from '../cache/credential-cache.js';
import type { CredentialSource } from '../keys/ports.js';
import type { ByokKey } from '../types.js';
import { endpointToTest } from './test-endpoint.js';
import { hintsFor } from './test-hints.js';
import { type KeyTest, type TestOutcome, type TestTarget, untried, verdictOn } from './test-verdict.js';

/**
 * Requests one token from the endpoint with the key's credential, with a timeout of its own. Rejects with a Problem
 * `client_closed` once the signal is aborted; every other failure is an outcome.
 */
export type TestCall = (
  target: TestTarget & { readonly key: ByokKey },
  signal: Signal,
) => Promise<TestOutcome>;

export interface KeyTestDependencies {
  readonly source: Pick<CredentialSource, 'storedKey'>;
  readonly credentials: Pick<CredentialCache, 'open'>;
  readonly catalogs: Pick<CatalogCache, 'current'>;
  readonly call: TestCall;
}

/**
 * Tests the account's key, even a disabled one. Throws a 404 for a malformed, an unknown and another account's id, and
 * what `call` throws.
 */
export async function testKey(
  { source, credentials, catalogs, call }: KeyTestDependencies,
  accountId: string,
  id: string,
  signal: Signal,
): Promise<KeyTest> {
  const stored = isUuid(id) ? await source.storedKey(accountId, id) : undefined;
  if (stored === undefined) throw notFound();
  const { key } = stored;
  const catalog = await catalogs.current();
  const provider = catalog.providers.get(key.provider);
  if (provider === undefined) return untried('no_endpoint', `${key.provider} is no longer in the catalogue.`);
  const opened = credentials.open(stored, provider.adapter);
  if ('unusable' in opened) return untried('credential_unusable', UNUSABLE[opened.unusable]);
  const { credential } = opened;
  const endpoint = endpointToTest(catalog, key, credential);
  if (endpoint === undefined) return untried('no_endpoint', NO_ENDPOINT);
  const target = { key, provider, endpoint, credential };
  const hints = hintsFor(credential, endpoint.modelId, catalog.resolveId);
  return verdictOn(target, hints, await call(target, signal));
}

const NO_ENDPOINT =
  "The catalogue has no chat model at the key's provider that its credential and allowed_models admit.";

const UNUSABLE: Record<Extract<Opened, { readonly unusable: string }>['unusable'], string> = {
  unknown_master_key: 'The stored credential was sealed under a master key that this gateway was not given.',
  damaged: 'The stored credential is damaged: store it anew.',
  rejected: 'The stored credential breaks the rules of its kind as they are now: store it anew.',
};
