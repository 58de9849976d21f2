/** Measures the output of an answer, for its record and its charge. Counts events, or a whole answer. */
import type { ChunkDelta, FinishReason, JsonObject } from '../../formats/chat/types.js';
import { members } from '../../formats/json.js';
import { type GivenMode, NOTHING_GIVEN } from '../../formats/modes/served-mode.js';
import { isPossible, type UsageBounds } from '../../ledger/pricing/possible-usage.js';
import type {
  NormalizedAnswer,
  NormalizedEvent,
  UpstreamAnswer,
  UpstreamEvent,
  UpstreamUsage,
} from './adapter.js';

export interface AnswerOutput {
  /** The provider's counts so far; empty if one of them is impossible. */
  readonly usage: UpstreamUsage;
  /** Whether one of the provider's counts is impossible. */
  readonly isMiscounted: boolean;
  /** Characters of the whole output, for providers that send no counts. */
  readonly characters: number;
  /** Characters that came after the provider's last count of completion tokens. */
  readonly uncountedCharacters: number;
  /** Upper bound of the tokens of that output, for all but unusual text. */
  readonly uncountedTokensHigh: number;
  /** When the provider last counted completion tokens, as `performance.now()`; undefined if it has not. */
  readonly countedAt: number | undefined;
  /** Whether at least one choice has begun, and all that have are finished. */
  readonly isEnded: boolean;
  /** Whether the provider has said that nothing follows its last count. */
  readonly isLastCount: boolean;
  readonly images: number;
  /** The finish reason of the first choice that finished; null until then. */
  readonly finishReason: FinishReason | null;
  readonly nativeFinishReason: string | null;
  /** What the provider has said of the mode in which the answer is served. */
  readonly mode: GivenMode;
}

export function outputOf(
  { usage, choices, mode = NOTHING_GIVEN }: NormalizedAnswer,
  bounds: UsageBounds,
): AnswerOutput {
  const isMiscounted = !isPossible(usage, bounds);
  return {
    usage: isMiscounted ? {} : usage,
    isMiscounted,
    characters: choices.reduce((sum, { message }) => sum + charactersOf(message), 0),
    uncountedCharacters: 0,
    uncountedTokensHigh: 0,
    countedAt: undefined,
    isEnded: true,
    isLastCount: true,
    images: choices.reduce((sum, { message }) => sum + imagesOf(message), 0),
    finishReason: choices[0]?.finish_reason ?? null,
    nativeFinishReason: choices[0]?.native_finish_reason ?? null,
    mode,
  };
}

/** The members of an answer about which the provider says nothing. */
export const NO_MEMBERS: JsonObject = {};

/** Hardly any text has fewer bytes per token on average; ordinary text has 4. */
const BYTES_PER_TOKEN_LOW = 3;

/** Ordinary text has no fewer characters per token, JSON has fewer. */
const CHARACTERS_PER_TOKEN = 4;
const JSON_CHARACTERS_PER_TOKEN = 3;

/** What each byte of a character beyond its first adds: a Chinese character has some one and a half tokens. */
const TOKENS_PER_EXCESS_BYTE = 0.6;

/** Puts the answer together that a stream comes to. */
export interface AnswerCollector {
  add(event: UpstreamEvent): void;
  /** undefined for one that can't be put together. */
  collected(usage: StreamUsage): UpstreamAnswer | undefined;
}

/** Counts the events of one attempt's stream as they come. */
export class StreamUsage implements AnswerOutput, AnswerLength {
  usage: UpstreamUsage = {};
  isMiscounted = false;
  characters = 0;
  uncountedCharacters = 0;
  countedAt: number | undefined;
  isLastCount = false;
  images = 0;
  finishReason: FinishReason | null = null;
  nativeFinishReason: string | null = null;
  mode: GivenMode = NOTHING_GIVEN;
  fingerprint: string | null = null;
  /** What the provider has said about the answer, besides its choices. */
  members: JsonObject = NO_MEMBERS;
  #bytes = 0;
  #deltas = 0;
  /** Since the provider's last count of completion tokens. */
  #uncountedTokens = 0;
  #uncountedDeltas = 0;
  /** For each choice that has begun, by index: whether it is finished. */
  readonly #isFinished = new Map<number, boolean>();
  #finishedCount = 0;
  readonly #expected: number;
  readonly #bounds: UsageBounds;
  readonly #collector: AnswerCollector | undefined;

  /** @param choices How many were requested. */
  constructor(choices: number, bounds: UsageBounds, collector?: AnswerCollector) {
    this.#expected = choices;
    this.#bounds = bounds;
    this.#collector = collector;
  }

  /** The answer that the events have come to; undefined where they were not collected. */
  get collected(): UpstreamAnswer | undefined {
    return this.#collector?.collected(this);
  }

  add(event: UpstreamEvent): void {
    this.#collector?.add(event);
    if (event.type === 'native') for (const told of event.normalized) this.#add(told);
    else this.#add(event);
  }

  #add(event: NormalizedEvent): void {
    switch (event.type) {
      case 'delta':
        if (!this.#isFinished.has(event.index)) this.#isFinished.set(event.index, false);
        this.#count(event.delta);
        return;
      case 'finish':
        if (this.#isFinished.get(event.index) !== true) this.#finishedCount += 1;
        this.#isFinished.set(event.index, true);
        this.finishReason ??= event.reason;
        this.nativeFinishReason ??= event.nativeReason;
        return;
      case 'usage':
        this.#take(event.usage);
        this.isLastCount ||= event.isLast === true;
        return;
      case 'fingerprint':
        this.fingerprint = event.fingerprint;
        return;
      case 'mode':
        this.mode = { ...this.mode, ...event.mode };
        return;
      case 'members':
        this.members = { ...this.members, ...event.members };
    }
  }

  /** If one count is impossible, none of the provider's counts is used. */
  #take(usage: UpstreamUsage): void {
    this.isMiscounted ||= !isPossible(usage, this.#bounds);
    if (this.isMiscounted) this.usage = {};
    else Object.assign(this.usage, usage);
    if (this.usage.completionTokens === undefined) return;
    this.uncountedCharacters = 0;
    this.#uncountedTokens = 0;
    this.#uncountedDeltas = 0;
    this.countedAt = performance.now();
  }

  /** Counts UTF-8 bytes of content and reasoning, since scripts other than Latin have more tokens per character. */
  #count(delta: ChunkDelta): void {
    const characters = charactersOf(delta);
    this.characters += characters;
    this.uncountedCharacters += characters;
    this.images += imagesOf(delta);
    if (characters > 0) {
      this.#deltas += 1;
      this.#uncountedDeltas += 1;
    }
    const excess = multibyteExcess(delta.content) + multibyteExcess(delta.reasoning);
    this.#bytes += characters + excess;
    const isCall = delta.tool_calls !== undefined || delta.function_call !== undefined;
    const perToken = isCall ? JSON_CHARACTERS_PER_TOKEN : CHARACTERS_PER_TOKEN;
    this.#uncountedTokens += characters / perToken + excess * TOKENS_PER_EXCESS_BYTE;
  }

  /** Most hosts send a delta for each token, others several tokens in one. */
  get uncountedTokensHigh(): number {
    return Math.max(this.#uncountedDeltas, Math.ceil(this.#uncountedTokens));
  }

  get completionTokensHigh(): number {
    return Math.max(this.usage.completionTokens ?? 0, this.#tokensInBytes);
  }

  /**
   * Lower bound. A delta has at least one token, unless a provider splits text more finely, which the count of bytes
   * limits.
   */
  get completionTokensLow(): number {
    return Math.max(this.usage.completionTokens ?? 0, Math.min(this.#deltas, this.#tokensInBytes));
  }

  get #tokensInBytes(): number {
    return Math.ceil(this.#bytes / BYTES_PER_TOKEN_LOW);
  }

  /**
   * Whether at least one choice has begun, and all that have are finished. Some providers send fewer choices than
   * requested.
   */
  get isEnded(): boolean {
    return this.#finishedCount > 0 && this.#finishedCount === this.#isFinished.size;
  }

  /** Whether all requested choices are finished. */
  get isComplete(): boolean {
    return this.isEnded && this.#finishedCount >= this.#expected;
  }

  /** Indexes of the requested choices that are not finished, and of any other choice that has begun. */
  get unfinished(): readonly number[] {
    const requested = Array.from({ length: this.#expected }, (_, index) => index);
    const all = new Set([...requested, ...this.#isFinished.keys()]);
    return [...all].filter((index) => this.#isFinished.get(index) !== true);
  }
}

/** Whether the event has content, or ends a choice. */
export function isContent(event: UpstreamEvent): boolean {
  if (event.type === 'native') return event.normalized.some(isContent);
  return event.type === 'finish' || (event.type === 'delta' && hasContent(event, ROLE));
}

/** Whether it has content that is shown to a client that excludes reasoning. */
export function isVisible(event: UpstreamEvent): boolean {
  if (event.type === 'native') return event.normalized.some(isVisible);
  return event.type === 'finish' || (event.type === 'delta' && hasContent(event, HIDDEN));
}

const ROLE: ReadonlySet<string> = new Set(['role']);
const HIDDEN: ReadonlySet<string> = new Set(['role', 'reasoning', 'reasoning_details']);

function hasContent(
  { delta, logprobs }: UpstreamEvent & { type: 'delta' },
  but: ReadonlySet<string>,
): boolean {
  if (logprobs !== undefined) return true;
  for (const name in delta) if (!but.has(name) && !isEmpty(delta[name])) return true;
  return false;
}

function isEmpty(value: unknown): boolean {
  return (
    value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

function charactersOf({ content, reasoning, refusal, tool_calls, function_call }: ChunkDelta): number {
  const ofText = (content?.length ?? 0) + (reasoning?.length ?? 0) + (refusal?.length ?? 0);
  if (tool_calls === undefined && function_call === undefined) return ofText;
  const called = [
    members(function_call),
    ...(tool_calls ?? []).map((call) => members(call.function ?? call.custom)),
  ];
  return called.reduce(
    (sum, { name, arguments: given, input }) => sum + lengthOf(name) + lengthOf(given) + lengthOf(input),
    ofText,
  );
}

function lengthOf(text: unknown): number {
  return typeof text === 'string' ? text.length : 0;
}

/** Providers that generate images send them next to the text. */
function imagesOf({ images }: ChunkDelta): number {
  return Array.isArray(images) ? images.length : 0;
}

/** The bytes in UTF-8 beyond one for each character. */
function multibyteExcess(text: string | null | undefined): number {
  return text ? Buffer.byteLength(text) - text.length : 0;
}

/** Bounds of the completion tokens so far, while the provider has not sent a count. */
export interface AnswerLength {
  readonly completionTokensHigh: number;
  readonly completionTokensLow: number;
}
