import { JsonText } from '../../base/json/json-text.js';
import type { Problem } from '../../base/problem.js';
import type { JsonObject, Usage } from '../../formats/chat/types.js';
import { elements, isObject } from '../../formats/json.js';
import { chunkError } from '../chat/chunk-writer.js';
import type { UpstreamEvent } from '../ports/adapter.js';
import type { StreamWriter } from '../ports/answer-format.js';
import type { UpstreamFailure } from '../ports/failure.js';
import type { StreamUsage } from '../ports/stream-usage.js';
import { withCost } from '../ports/usage.js';

interface CompletionHead {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
}

/**
 * Passes a provider's chunks on as they come, but for id and model. The usage, wherever the provider has it, is told in a last
 * chunk without choices, since its cost is not known before the settlement.
 */
export class CompletionWriter implements StreamWriter<JsonText> {
  readonly #head: CompletionHead;
  readonly #streamUsage: StreamUsage;
  /** The provider's last. */
  #usage: JsonObject | undefined;
  /** What the provider says beside its usage, in the chunk that has nothing else. */
  #last: JsonObject = {};

  constructor(head: CompletionHead, streamUsage: StreamUsage) {
    this.#head = head;
    this.#streamUsage = streamUsage;
  }

  write(event: UpstreamEvent, pieces: JsonText[]): void {
    if (event.type !== 'native') return;
    const { usage, ...piece } = event.event.value;
    if (isObject(usage)) {
      this.#usage = usage;
      if (elements(piece.choices).length === 0) {
        this.#last = piece;
        return;
      }
    }
    const { id, model } = this.#head;
    pieces.push(JsonText.of({ ...piece, id, model }));
  }

  cutOff(): readonly JsonText[] {
    return [JsonText.of(this.#unfinished('length'))];
  }

  end(usage: Usage): readonly JsonText[] {
    const told = this.#usage === undefined ? usage : withCost(this.#usage, usage);
    return [JsonText.of({ ...this.#chunk([]), usage: told })];
  }

  fail(problem: Problem, failure: UpstreamFailure | null): readonly JsonText[] {
    return [JsonText.of({ ...this.#unfinished('error'), error: chunkError(problem, failure) })];
  }

  /** Finishes all unfinished choices with this reason. */
  #unfinished(finish_reason: 'error' | 'length'): JsonObject {
    return this.#chunk(
      this.#streamUsage.unfinished.map((index) => ({ index, text: '', logprobs: null, finish_reason })),
    );
  }

  #chunk(choices: readonly JsonObject[]): JsonObject {
    const { id, created, model } = this.#head;
    return { object: 'text_completion', created, ...this.#last, id, model, choices };
  }
}
