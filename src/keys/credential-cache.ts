import { LruMap } from '../base/lru-map.js';
import type { Credential } from './authenticate.js';

/** Credentials remembered at once: more than are in use within a short time, and a few megabytes. */
const CREDENTIAL_BOUND = 10_000;

/** The most recently used credentials by hash. What was not found is not remembered: it may exist in a moment. */
export class CredentialCache {
  #credentials = new LruMap<string, Credential>(CREDENTIAL_BOUND);

  /** The credential remembered under the hash, else what `load` finds. */
  async get(hash: string, load: () => Promise<Credential | undefined>): Promise<Credential | undefined> {
    const credentials = this.#credentials;
    const remembered = credentials.get(hash);
    if (remembered !== undefined) return remembered;
    const loaded = await load();
    // Outdated after a change announced meanwhile, but then this map is no longer the one that is read.
    if (loaded !== undefined) credentials.set(hash, loaded);
    return loaded;
  }

  clear(): void {
    this.#credentials = new LruMap(CREDENTIAL_BOUND);
  }
}
