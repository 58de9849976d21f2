import type { ChunkDelta, FinishReason } from '../../formats/chat/types.js';
import type { AnswerLength } from '../admission.js';
import type { UpstreamAnswer, UpstreamEvent, UpstreamUsage } from '../attempts/adapter.js';

/** What an answer came to, as far as its record and its bill go. */
export interface Produced {
  readonly usage: UpstreamUsage;
  /** Characters of all that was produced, for providers that do not count. */
  readonly characters: number;
  /** Of these, the ones that came after the last count of completion tokens. */
  readonly uncountedCharacters: number;
  readonly images: number;
  /** Of the first choice that finished; null while none has. */
  readonly finishReason: FinishReason | null;
  readonly nativeFinishReason: string | null;
}

/** What an answer in one piece came to. */
export function producedBy({ usage, choices }: UpstreamAnswer): Produced {
  return {
    usage,
    characters: choices.reduce((sum, { message }) => sum + charactersOf(message), 0),
    uncountedCharacters: 0,
    images: choices.reduce((sum, { message }) => sum + imagesOf(message), 0),
    finishReason: choices[0]?.finish_reason ?? null,
    nativeFinishReason: choices[0]?.native_finish_reason ?? null,
  };
}

/** Hardly any text has fewer bytes to a token on average; usual text has 4. */
const BYTES_PER_TOKEN_LOW = 3;

/** Counts along with one attempt's stream. */
export class StreamUsage implements Produced, AnswerLength {
  readonly usage: UpstreamUsage = {};
  characters = 0;
  uncountedCharacters = 0;
  images = 0;
  finishReason: FinishReason | null = null;
  nativeFinishReason: string | null = null;
  fingerprint: string | null = null;
  #bytes = 0;
  #pieces = 0;
  readonly #finishedByChoice = new Map<number, boolean>();
  #finished = 0;

  take(event: UpstreamEvent): void {
    switch (event.type) {
      case 'delta':
        if (!this.#finishedByChoice.has(event.index)) this.#finishedByChoice.set(event.index, false);
        this.#count(event.delta);
        return;
      case 'finish':
        if (this.#finishedByChoice.get(event.index) !== true) this.#finished += 1;
        this.#finishedByChoice.set(event.index, true);
        this.finishReason ??= event.reason;
        this.nativeFinishReason ??= event.nativeReason;
        return;
      case 'usage':
        Object.assign(this.usage, event.usage);
        if (event.usage.completionTokens !== undefined) this.uncountedCharacters = 0;
        return;
      case 'fingerprint':
        this.fingerprint = event.fingerprint;
    }
  }

  /** Text in its bytes, which no other script than the Latin one has fewer of; the rest is ASCII for the most part. */
  #count(delta: ChunkDelta): void {
    const characters = charactersOf(delta);
    this.characters += characters;
    this.uncountedCharacters += characters;
    this.images += imagesOf(delta);
    if (characters > 0) this.#pieces += 1;
    this.#bytes += characters + furtherBytes(delta.content) + furtherBytes(delta.reasoning);
  }

  get completionTokensHigh(): number {
    return Math.max(this.usage.completionTokens ?? 0, this.#tokensInBytes);
  }

  /** No piece has less than a token, but for those of who cuts texts up anew. */
  get completionTokensLow(): number {
    return Math.max(this.usage.completionTokens ?? 0, Math.min(this.#pieces, this.#tokensInBytes));
  }

  get #tokensInBytes(): number {
    return Math.ceil(this.#bytes / BYTES_PER_TOKEN_LOW);
  }

  /** Whether every choice that began has finished, and one has. */
  get isComplete(): boolean {
    return this.#finished > 0 && this.#finished === this.#finishedByChoice.size;
  }

  /** Choices that began and have not finished. */
  get unfinished(): readonly number[] {
    return [...this.#finishedByChoice].flatMap(([index, isFinished]) => (isFinished ? [] : [index]));
  }
}

/** Whether the event is content that a client is waiting for, or the end of a choice that has none. */
export function isFirstContent(event: UpstreamEvent): boolean {
  return event.type === 'finish' || (event.type === 'delta' && hasContent(event.delta));
}

function hasContent(delta: ChunkDelta): boolean {
  for (const name in delta) if (name !== 'role' && !isEmpty(delta[name])) return true;
  return false;
}

function isEmpty(value: unknown): boolean {
  return (
    value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

/** How many bytes a text has beyond one for each character. */
function furtherBytes(text: string | null | undefined): number {
  return text ? Buffer.byteLength(text) - text.length : 0;
}

/** Providers that draw put their images beside the text. */
function imagesOf({ images }: ChunkDelta): number {
  return Array.isArray(images) ? images.length : 0;
}

function charactersOf({ content, reasoning, refusal, tool_calls }: ChunkDelta): number {
  const said = (content?.length ?? 0) + (reasoning?.length ?? 0) + (refusal?.length ?? 0);
  if (tool_calls === undefined) return said;
  return tool_calls.reduce(
    (sum, call) => sum + (call.function?.name?.length ?? 0) + (call.function?.arguments?.length ?? 0),
    said,
  );
}
