/**
 * The keys of accounts, which sign their marks (src/formats/marks.ts) and hash what their cached answers are found by: 32
 * random bytes each, made when they are first needed and sealed as credentials are. One that can't be opened is replaced:
 * marks that it has signed are lost, which only drops thoughts, and cached answers are found no more.
 */
import { createHmac, createSecretKey, type Hmac, type KeyObject, randomBytes } from 'node:crypto';
import { LruMap } from '../../base/memory/lru-map.js';
import { MARK_SIGNATURE_BYTES, type MarkSigner } from '../../formats/marks.js';
import { CredentialUnreadable, type SealContext, type Sealed, type Vault } from './vault.js';

export interface AccountHmacKeyStore {
  /**
   * The account's sealed key. Where it has none, or `unreadable`, stores the one that `make` returns, unless another
   * process was first: then that one's.
   */
  sealedKey(accountId: string, make: () => Sealed, unreadable?: Sealed): Promise<Sealed>;
}

export interface AccountHmacKeyDependencies {
  readonly store: AccountHmacKeyStore;
  readonly vault: Vault;
  /** Called with the reason why a key could not be had. */
  readonly report: (error: unknown) => void;
}

/** Accounts whose keys are held open. */
const MAX_CACHED = 10_000;

const KEY_BYTES = 32;

/** What is made with the key of an account. */
interface AccountKey {
  readonly signer: MarkSigner;
  /** The key of its hashes for the cache. */
  readonly cache: KeyObject;
}

/** The keys of accounts, each read once. */
export class AccountHmacKeys {
  readonly #dependencies: AccountHmacKeyDependencies;
  readonly #keys = new LruMap<string, Promise<AccountKey | undefined>>(MAX_CACHED);

  constructor(dependencies: AccountHmacKeyDependencies) {
    this.#dependencies = dependencies;
  }

  /** undefined where the account's key can't be had now, which is reported. Never rejects. */
  async signerOf(accountId: string): Promise<MarkSigner | undefined> {
    return (await this.#keyOf(accountId))?.signer;
  }

  /** A new HMAC-SHA256 of the account for its cache; else as `signerOf`. */
  async cacheHash(accountId: string): Promise<Hmac | undefined> {
    const key = await this.#keyOf(accountId);
    return key && createHmac('sha256', key.cache);
  }

  #keyOf(accountId: string): Promise<AccountKey | undefined> {
    return this.#keys.getOrMake(accountId, () =>
      this.#read(accountId).catch((error: unknown) => {
        this.#keys.delete(accountId);
        this.#dependencies.report(error);
        return undefined;
      }),
    );
  }

  async #read(accountId: string): Promise<AccountKey> {
    const { store, vault } = this.#dependencies;
    const context = accountHmacKeyContext(accountId);
    const make = () => vault.seal(randomBytes(KEY_BYTES).toString('base64'), context);
    const stored = await store.sealedKey(accountId, make);
    try {
      return accountKey(vault.open(stored, context), accountId);
    } catch (thrown) {
      if (!(thrown instanceof CredentialUnreadable)) throw thrown;
      const replaced = await store.sealedKey(accountId, make, stored);
      return accountKey(vault.open(replaced, context), accountId);
    }
  }
}

/** The context that an account's key is sealed in. No BYOK key has the id of an account. */
export function accountHmacKeyContext(accountId: string): SealContext {
  return { id: accountId, accountId };
}

function accountKey(base64: string, accountId: string): AccountKey {
  const key = createSecretKey(base64, 'base64');
  const derived = createHmac('sha256', key).update('byway answer cache').digest();
  return {
    cache: createSecretKey(derived),
    signer: {
      signatureOf: (payload) =>
        createHmac('sha256', key)
          .update(`${accountId}.`)
          .update(payload)
          .digest()
          .subarray(0, MARK_SIGNATURE_BYTES),
    },
  };
}
