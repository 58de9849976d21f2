import type { JsonObject } from '../../../../formats/chat/types.js';
import { elements, members, textOf } from '../../../../formats/json.js';

/** Models that are billed per prompt with a result, however many searches it took: docs/providers/google-vertex.md. */
const BY_PROMPT = /^gemini-[12](?![0-9])/;

/** Counts Google's searches for an answer, by its grounding metadata. */
export class SearchCount {
  /** By candidate, since chunks of a stream may repeat them. */
  readonly #queries = new Map<unknown, number>();
  #model = '';
  #hasPages = false;

  take({ candidates, modelVersion }: JsonObject): void {
    this.#model ||= textOf(modelVersion) ?? '';
    for (const { index, groundingMetadata } of elements(candidates).map(members)) {
      const { webSearchQueries, groundingChunks } = members(groundingMetadata);
      const asked = elements(webSearchQueries).filter((query) => textOf(query)).length;
      this.#queries.set(index, Math.max(asked, this.#queries.get(index) ?? 0));
      this.#hasPages ||= elements(groundingChunks).some((chunk) => 'web' in members(chunk));
    }
  }

  /** undefined if nothing was searched. */
  get billed(): number | undefined {
    const asked = [...this.#queries.values()].reduce((sum, count) => sum + count, 0);
    if (asked === 0 && !this.#hasPages) return undefined;
    return BY_PROMPT.test(this.#model) ? 1 : Math.max(asked, 1);
  }
}
