/** The keys that wrap all data keys. Their bytes are only passed to ciphers. */
import { createHash } from 'node:crypto';
import { inspect } from 'node:util';

/** 32 secret bytes with a public name. Never printed, never serialised. */
export class MasterKey {
  /** First 16 hexadecimal characters of the SHA-256 of the bytes. */
  readonly id: string;
  readonly #bytes: Buffer;

  /** Takes ownership of the bytes. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.id = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  }

  /** Passes the bytes to `work`, which must not keep a reference. */
  use<T>(work: (bytes: Buffer) => T): T {
    return work(this.#bytes);
  }

  toJSON(): string {
    return `[master key ${this.id}]`;
  }

  [inspect.custom](): string {
    return this.toJSON();
  }
}

/** The available master keys: one that seals, and all that open. */
export interface MasterKeys {
  readonly current: MasterKey;
  /** The key with that id, current or older; undefined when unavailable. */
  find(id: string): MasterKey | undefined;
}

/** A setting for master keys is unusable. The message names the setting and never its value. */
export class MasterKeyInvalid extends Error {
  override readonly name = 'MasterKeyInvalid';
}

export const MASTER_KEY_BYTES = 32;

/** Reads 32 bytes of base64, with or without padding. Throws `MasterKeyInvalid` naming `setting`. */
export function readMasterKey(setting: string, text: string): MasterKey {
  if (text === '')
    throw new MasterKeyInvalid(`${setting}: must be ${MASTER_KEY_BYTES} bytes in base64, but is empty`);
  const bytes = Buffer.from(text, 'base64');
  const unpadded = (base64: string) => base64.replace(/={1,2}$/, '');
  if (unpadded(bytes.toString('base64')) !== unpadded(text)) {
    throw new MasterKeyInvalid(`${setting}: must be ${MASTER_KEY_BYTES} bytes in base64, but is not base64`);
  }
  if (bytes.length !== MASTER_KEY_BYTES) {
    throw new MasterKeyInvalid(
      `${setting}: must be ${MASTER_KEY_BYTES} bytes in base64, but has ${bytes.length} bytes`,
    );
  }
  return new MasterKey(bytes);
}

/** The first key seals. Throws `MasterKeyInvalid` naming `setting` when there is none. */
export function masterKeys(setting: string, keys: readonly MasterKey[]): MasterKeys {
  const [current] = keys;
  if (current === undefined) throw new MasterKeyInvalid(`${setting}: holds no master key`);
  const byId = new Map(keys.map((key) => [key.id, key]));
  return { current, find: (id) => byId.get(id) };
}
