import { Option } from 'commander';
import type { FastifyBaseLogger } from 'fastify';
import { MasterKeyInvalid } from '../../byok/vault/master-key.js';
import { findMasterKeyMismatch } from '../../byok/vault/master-key-mismatch.js';
import type { LoadedMasterKeys } from '../../byok/vault/master-key-settings.js';
import { type SealedReader, unreadableRecords } from '../../byok/vault/sealed-records.js';
import { createVault } from '../../byok/vault/vault.js';
import type { Gateway } from '../../compose/gateway.js';
import type { Config } from '../../config/config.js';
import { masterKeyName } from '../support/master-key-source.js';

/** For operators who have lost a master key for good. */
export function acceptUnreadableOption(): Option {
  return new Option(
    '--accept-unreadable',
    'go on although stored credentials cannot be opened: their key is lost',
  );
}

/** The message about master keys that are not those of the stored credentials; undefined when they are. */
export async function describeMasterKeyMismatch(
  reader: SealedReader,
  config: Config,
  { keys }: LoadedMasterKeys,
): Promise<string | undefined> {
  const mismatch = await findMasterKeyMismatch(reader, createVault(keys));
  const remedy =
    'give the right key, here or in BYWAY_MASTER_KEY_PREVIOUS; if it is lost, --accept-unreadable';
  return mismatch && `${masterKeyName(config)}: ${mismatch}; ${remedy}`;
}

/** Throws `MasterKeyInvalid` where `describeMasterKeyMismatch` finds one. */
export async function refuseMasterKeyMismatch(
  reader: SealedReader,
  config: Config,
  masterKeys: LoadedMasterKeys,
): Promise<void> {
  const mismatch = await describeMasterKeyMismatch(reader, config, masterKeys);
  if (mismatch !== undefined) throw new MasterKeyInvalid(mismatch);
}

/** Credentials that are logged one by one; the rest is counted. */
const MAX_LOGGED = 100;

/** Tries every stored credential in the background, and logs those that can't be opened. */
export async function logUnreadable(
  { stores, masterKeys }: Gateway,
  log: Pick<FastifyBaseLogger, 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  let count = 0;
  try {
    const records = unreadableRecords(stores.credentials, createVault(masterKeys.keys), signal);
    for await (const { kind, id, reason } of records) {
      count += 1;
      if (count > MAX_LOGGED) continue;
      const name = kind === 'key' ? { byok_key_id: id } : { shared_credential_of: id };
      log.warn({ ...name, reason }, 'a stored credential cannot be opened, and is used by no request');
    }
  } catch (err) {
    if (!signal.aborted) log.warn({ err }, 'could not look at all stored credentials');
  }
  if (count > MAX_LOGGED) log.warn({ count }, 'so many stored credentials cannot be opened');
}
