/**
 * A model's thoughts in `reasoning_details`, with the encrypted ones that must come back unchanged when the conversation
 * continues: `docs/formats.md#reasoning`. The readable text is in `reasoning`.
 */
import { REASONING_FORMAT } from '../../../formats/chat/reasoning-details.js';
import { positionMember, type ThoughtPosition } from '../../../formats/chat/thought-positions.js';
import type { JsonObject } from '../../../formats/chat/types.js';

/** Between texts that the model has written apart: messages, or parts of a summary. */
export const BREAK = '\n\n';

/** What is readable of a thought: what the model has written, or a summary of it. */
export type Readable = 'text' | 'summary';

/** Makes the details of one thought. Each is told where the thought stands by the first, and its id by that or the encrypted one. */
export class ThoughtDetails {
  readonly #index: number;
  readonly #position: ThoughtPosition;
  readonly #id: string | undefined;
  #isTold = false;

  /** @param id The provider's, if it has one. */
  constructor(index: number, position: ThoughtPosition, id: string | undefined) {
    this.#index = index;
    this.#position = position;
    this.#id = id;
  }

  readable(kind: Readable, text: string): JsonObject {
    const isFirst = !this.#isTold;
    const isPlaced = this.#position.content > 0 || this.#position.calls > 0;
    this.#isTold = true;
    return {
      type: `reasoning.${kind}`,
      [kind]: text,
      ...(isFirst && isPlaced && positionMember(this.#index, this.#position)),
      format: REASONING_FORMAT.openai,
      index: this.#index,
    };
  }

  encrypted(data: string): JsonObject {
    const isFirst = !this.#isTold;
    this.#isTold = true;
    return {
      type: 'reasoning.encrypted',
      data,
      ...positionMember(this.#index, isFirst ? this.#position : BEGINNING, this.#id),
      format: REASONING_FORMAT.openai,
      index: this.#index,
    };
  }
}

const BEGINNING: ThoughtPosition = { content: 0, calls: 0 };
