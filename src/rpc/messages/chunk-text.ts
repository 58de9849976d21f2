import { exactJson } from '../../base/json/json-body.js';
import { JsonText } from '../../base/json/json-text.js';
import type { ChatChunk } from '../../formats/chat/types.js';

/** What the last member of an ordinary chunk's only choice is followed by. */
const UNFINISHED = ',"finish_reason":null,"native_finish_reason":null,"logprobs":null}]';

/** Members of a chunk without what only some have: usage, an error, members of the answer. */
const ORDINARY_MEMBERS = 6;

/**
 * Writes the chunks of one answer as JSON. Nearly all are ordinary: these are put together from what all chunks share
 * and what came, in a fifth of the time that writing the whole takes. Others are left as they are.
 */
export class ChunkTexts {
  #head: string | undefined;
  #fingerprint: unknown;
  #end = '}';

  textOf(chunk: ChatChunk): JsonText | ChatChunk {
    const { choices, system_fingerprint: fingerprint } = chunk;
    const [choice] = choices;
    const members = fingerprint === undefined ? ORDINARY_MEMBERS : ORDINARY_MEMBERS + 1;
    if (choice === undefined || choices.length > 1 || Object.keys(chunk).length !== members) return chunk;
    if (choice.finish_reason !== null || choice.logprobs !== null) return chunk;
    this.#head ??= headOf(chunk);
    if (fingerprint !== this.#fingerprint) {
      this.#fingerprint = fingerprint;
      this.#end = fingerprint === undefined ? '}' : `,"system_fingerprint":${JSON.stringify(fingerprint)}}`;
    }
    // Blocks of a provider's own alone are no text yet.
    const delta = 'provider_blocks' in choice.delta ? exactJson(choice.delta) : JSON.stringify(choice.delta);
    return new JsonText(
      `${this.#head}${choice.index},"delta":${delta}${UNFINISHED}${this.#end}`,
      chunk as unknown as JsonText['value'],
    );
  }
}

/** Up to the index of the choice. */
function headOf({ id, object, created, model, provider }: ChatChunk): string {
  return `${JSON.stringify({ id, object, created, model, provider }).slice(0, -1)},"choices":[{"index":`;
}
