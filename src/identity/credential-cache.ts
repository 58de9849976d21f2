import { LruMap } from '../base/lru-map.js';
import type { Credential } from './authenticate.js';

/** More than are in use within a short time; a few megabytes. */
const MAX_CREDENTIALS = 10_000;

type Loaded = Promise<Credential | undefined>;

/**
 * The most recently used credentials by hash. Misses are not cached, since the credential may be created any moment.
 */
export class CredentialCache {
  #credentials = new LruMap<string, Loaded>(MAX_CREDENTIALS);
  /** Hashes that were found before, kept when the credentials are cleared. */
  readonly #found = new LruMap<string, true>(MAX_CREDENTIALS);

  /** Whether the hash is cached, being loaded, or was found when it was last loaded. */
  isKnown(hash: string): boolean {
    return this.#credentials.get(hash) !== undefined || this.#found.get(hash) !== undefined;
  }

  /** The cached credential, or the result of `load`, which concurrent callers share. */
  get(hash: string, load: () => Loaded): Loaded {
    const credentials = this.#credentials;
    return credentials.getOrMake(hash, () => {
      const loading = load();
      const forget = () => credentials.delete(hash);
      const note = (loaded: Credential | undefined) => {
        if (loaded !== undefined) this.#found.set(hash, true);
        else {
          this.#found.delete(hash);
          forget();
        }
      };
      loading.then(note, forget);
      return loading;
    });
  }

  /** Also drops loads in progress, which may return outdated credentials. */
  clear(): void {
    this.#credentials = new LruMap(MAX_CREDENTIALS);
  }
}
