import type { Message } from '@bufbuild/protobuf';
import { Rendered } from './rendered.js';

/** One way to serialise messages of one type. */
export interface Renderer {
  readonly contentType: string;
  serialize(message: Message): string | Uint8Array;
}

/** Answers that were used since the generation began, and their bytes. */
interface Generation {
  readonly answers: WeakMap<Message, Map<Renderer, Rendered>>;
  bytes: number;
}

/** Lists of a thousand models take about a megabyte each, and there is one for each set of policies and region. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Serialised answers by the message object that they were made of. A service that returns the same object again says
 * that nothing has changed that its answer depends on; for another object another answer is made. Answers of objects
 * that are gone are gone too. Where the others are too many, those that were not used for the longest time are
 * dropped, half of the bytes at once; an answer larger than a half is not kept.
 */
export class AnswerCache {
  readonly #halfBytes: number;
  #recent = generation();
  #older = generation();
  #hits = 0;
  #misses = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#halfBytes = maxBytes / 2;
  }

  /** At most the bytes that are held: some may have gone with their messages. */
  get bytes(): number {
    return this.#recent.bytes + this.#older.bytes;
  }

  get hits(): number {
    return this.#hits;
  }

  get misses(): number {
    return this.#misses;
  }

  rendered(message: Message, renderer: Renderer): Rendered {
    const recent = this.#recent.answers.get(message)?.get(renderer);
    if (recent !== undefined) {
      this.#hits += 1;
      return recent;
    }
    const older = this.#older.answers.get(message)?.get(renderer);
    if (older === undefined) this.#misses += 1;
    else this.#hits += 1;
    const rendered =
      older ?? new Rendered(renderer.serialize(message), renderer.contentType, (bytes) => this.#count(bytes));
    if (rendered.size > this.#halfBytes) return rendered;
    this.#count(rendered.size);
    const { answers } = this.#recent;
    const ofMessage = answers.get(message) ?? new Map<Renderer, Rendered>();
    answers.set(message, ofMessage.set(renderer, rendered));
    return rendered;
  }

  #count(bytes: number): void {
    if (bytes > this.#halfBytes) return;
    if (this.#recent.bytes + bytes > this.#halfBytes) {
      this.#older = this.#recent;
      this.#recent = generation();
    }
    this.#recent.bytes += bytes;
  }
}

function generation(): Generation {
  return { answers: new WeakMap(), bytes: 0 };
}
