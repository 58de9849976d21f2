import type { Credential } from './authenticate.js';

/** Credentials remembered at once: more than are in use within a short time, and a few megabytes. */
const CREDENTIAL_BOUND = 10_000;

/** The most recently used credentials by hash. What was not found is not remembered: it may exist in a moment. */
export class CredentialCache {
  readonly #credentials = new Map<string, Credential>();
  #generation = 0;

  /** The credential remembered under the hash, else what `load` finds. */
  async get(hash: string, load: () => Promise<Credential | undefined>): Promise<Credential | undefined> {
    const remembered = this.#credentials.get(hash);
    if (remembered !== undefined) {
      this.#remember(hash, remembered);
      return remembered;
    }
    const generation = this.#generation;
    const loaded = await load();
    // What was read before a change that has been announced meanwhile may be outdated.
    if (loaded !== undefined && generation === this.#generation) this.#remember(hash, loaded);
    return loaded;
  }

  clear(): void {
    this.#generation++;
    this.#credentials.clear();
  }

  #remember(hash: string, credential: Credential): void {
    this.#credentials.delete(hash);
    this.#credentials.set(hash, credential);
    if (this.#credentials.size <= CREDENTIAL_BOUND) return;
    for (const oldest of this.#credentials.keys()) {
      this.#credentials.delete(oldest);
      return;
    }
  }
}
