/**
 * Envelope encryption of credentials: the text under a fresh data key of its own, the data key under the master key,
 * both with AES-256-GCM. The record's id and its account are authenticated data of both layers, so that a sealed
 * credential can't be moved to another record or account. Why: `docs/adr/0011-envelope-encryption.md`.
 *
 * Both byte columns have one layout: 1 byte version (1) | 12 bytes nonce | 16 bytes tag | ciphertext. The ciphertext
 * is the credential's UTF-8 in one and the 32 bytes of the data key in the other. The authenticated data is the
 * JSON text `["byway", 1, layer, accountId, id]`, where layer is `credential` or `data-key`.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { MasterKeys } from './master-key.js';

export interface Sealed {
  readonly ciphertext: Buffer;
  readonly wrappedDataKey: Buffer;
  /** First 16 hexadecimal characters of the SHA-256 of the master key that wraps the data key. */
  readonly masterKeyId: string;
}

/** The record that a sealed credential belongs to. */
export interface SealContext {
  readonly id: string;
  readonly accountId: string;
}

export interface Vault {
  /** Id of the current master key. */
  readonly masterKeyId: string;
  /** Seals under a fresh data key: the same text never gives the same bytes. */
  seal(plaintext: string, context: SealContext): Sealed;
  /** The text that was sealed for this record. Throws `CredentialUnreadable`. */
  open(sealed: Sealed, context: SealContext): string;
  /** The same credential with its data key under the current master key. Throws `CredentialUnreadable`. */
  rewrap(sealed: Sealed, context: SealContext): Sealed;
}

/** A stored credential can't be opened. Contains nothing of keys or texts. */
export class CredentialUnreadable extends Error {
  override readonly name = 'CredentialUnreadable';
  /** `unknown_master_key`: its master key is unavailable. `damaged`: changed, moved or of an unknown layout. */
  readonly reason: 'unknown_master_key' | 'damaged';

  constructor(reason: 'unknown_master_key' | 'damaged') {
    super(`stored credential is unreadable: ${reason}`);
    this.reason = reason;
  }
}

/** Nonces and data keys come from the system's random source: predictable ones would break the cipher. */
export function createVault(masterKeys: MasterKeys): Vault {
  const unwrap = (sealed: Sealed, context: SealContext): Buffer => {
    const masterKey = masterKeys.find(sealed.masterKeyId);
    if (masterKey === undefined) throw new CredentialUnreadable('unknown_master_key');
    return masterKey.use((bytes) =>
      decrypt(bytes, sealed.wrappedDataKey, authenticated('data-key', context)),
    );
  };
  const wrap = (dataKey: Buffer, context: SealContext): Pick<Sealed, 'wrappedDataKey' | 'masterKeyId'> => ({
    wrappedDataKey: masterKeys.current.use((key) =>
      encrypt(key, dataKey, authenticated('data-key', context)),
    ),
    masterKeyId: masterKeys.current.id,
  });
  return {
    get masterKeyId() {
      return masterKeys.current.id;
    },
    seal: (plaintext, context) =>
      wiping(randomBytes(32), (dataKey) =>
        wiping(Buffer.from(plaintext, 'utf8'), (text) => ({
          ciphertext: encrypt(dataKey, text, authenticated('credential', context)),
          ...wrap(dataKey, context),
        })),
      ),
    open: (sealed, context) =>
      wiping(unwrap(sealed, context), (dataKey) =>
        wiping(decrypt(dataKey, sealed.ciphertext, authenticated('credential', context)), (text) =>
          text.toString('utf8'),
        ),
      ),
    rewrap: (sealed, context) =>
      wiping(unwrap(sealed, context), (dataKey) => ({
        ciphertext: sealed.ciphertext,
        ...wrap(dataKey, context),
      })),
  };
}

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;
const CIPHER = 'aes-256-gcm';

function authenticated(layer: 'credential' | 'data-key', { accountId, id }: SealContext): Buffer {
  return Buffer.from(JSON.stringify(['byway', VERSION, layer, accountId, id]), 'utf8');
}

function encrypt(key: Buffer, plaintext: Buffer, authenticatedData: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(authenticatedData);
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]);
}

/** Throws `CredentialUnreadable` unless bytes, key and context are those of the encryption. */
function decrypt(key: Buffer, bytes: Buffer, authenticatedData: Buffer): Buffer {
  if (bytes.length < HEADER_BYTES || bytes[0] !== VERSION || key.length !== 32) {
    throw new CredentialUnreadable('damaged');
  }
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(1, 1 + NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(authenticatedData)
    .setAuthTag(bytes.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  const unproven = decipher.update(bytes.subarray(HEADER_BYTES));
  try {
    return Buffer.concat([unproven, decipher.final()]);
  } catch {
    throw new CredentialUnreadable('damaged');
  } finally {
    unproven.fill(0);
  }
}

/** Passes the secret bytes to `work` and overwrites them afterwards. */
function wiping<T>(secret: Buffer, work: (secret: Buffer) => T): T {
  try {
    return work(secret);
  } finally {
    secret.fill(0);
  }
}
