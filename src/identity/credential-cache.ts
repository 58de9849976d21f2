import { LruMap } from '../base/lru-map.js';
import type { Credential } from './authenticate.js';

/** Credentials remembered at once: more than are in use within a short time, and a few megabytes. */
const MAX_CREDENTIALS = 10_000;

type Loaded = Promise<Credential | undefined>;

/** The most recently used credentials by hash. What was not found is not remembered: it may exist in a moment. */
export class CredentialCache {
  #credentials = new LruMap<string, Loaded>(MAX_CREDENTIALS);
  /** What was found before, also when it has to be loaded again. */
  readonly #found = new LruMap<string, true>(MAX_CREDENTIALS);

  /** Whether the hash is remembered, being loaded, or was found when it was loaded last. */
  isKnown(hash: string): boolean {
    return this.#credentials.get(hash) !== undefined || this.#found.get(hash) !== undefined;
  }

  /** The credential remembered under the hash, else what `load` finds: once, however many ask for it meanwhile. */
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

  /** What is being loaded at this moment goes too: it may be outdated. */
  clear(): void {
    this.#credentials = new LruMap(MAX_CREDENTIALS);
  }
}
