/** Members of an answer besides its choices: Perplexity's `citations`, OpenAI's `service_tier`, ... */
import type { JsonObject } from '../../../formats/chat/types.js';
import { checkCount, MAX_COLLECTED_CHARACTERS, MAX_MEMBERS } from '../../common/answer-bounds.js';

/** Members that the gateway sets itself or reads elsewhere, and padding. */
const OWN: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'provider',
  'choices',
  'usage',
  'system_fingerprint',
  'error',
  'x_groq',
  'obfuscation',
  '__proto__',
  // What Azure's filter found in the prompt is not part of the answer.
  'prompt_filter_results',
  'prompt_annotations',
]);

/** undefined if there are none. Members that are null count as missing. */
export function membersOf(answer: JsonObject): JsonObject | undefined {
  return new StreamedMembers().take(answer);
}

/** Finds the members in a stream's chunks that are new: many hosts repeat them in every chunk. */
export class StreamedMembers {
  readonly #known = new Map<string, unknown>();
  #characters = 0;

  /** undefined if nothing is new. Throws `UpstreamFailure` `malformed` for more members than an answer may have. */
  take(chunk: JsonObject): JsonObject | undefined {
    let news: Record<string, unknown> | undefined;
    for (const name in chunk) {
      const value = chunk[name];
      if (OWN.has(name) || value === null || !this.#isNew(name, value)) continue;
      news ??= {};
      news[name] = value;
    }
    return news;
  }

  #isNew(name: string, value: unknown): boolean {
    const plain = typeof value === 'object' ? JSON.stringify(value) : value;
    if (this.#known.get(name) === plain) return false;
    this.#known.set(name, plain);
    this.#characters += typeof plain === 'string' ? plain.length : 0;
    checkCount(this.#known.size, MAX_MEMBERS);
    checkCount(this.#characters, MAX_COLLECTED_CHARACTERS);
    return true;
  }
}
