import { MAX_CHOICES } from '../../../formats/answer-size.js';
import type { ChunkDelta, JsonObject } from '../../../formats/chat/types.js';
import { elements, members, textOf } from '../../../formats/json.js';
import type { NormalizedEvent } from '../../../inference/ports/adapter.js';
import { boundedElements, choiceIndex } from '../../common/answer-bounds.js';
import { AnswerCallIds } from '../../common/answer-call-ids.js';
import { truncated } from '../../common/failures.js';
import { StreamedMembers } from './answer-members.js';
import { ANY_HOST, type AnswerRules } from './answer-rules.js';
import { readAssistantOutput, textMessage } from './assistant-output.js';
import { CallSignatures } from './call-signatures.js';
import { finishReasonOf, nativeReasonIn } from './finish-reason.js';
import { choiceLogprobs } from './logprobs.js';
import { modeIn } from './mode.js';
import { StreamedToolCalls } from './tool-calls.js';
import { usageOf } from './usage.js';

/** The state of one choice of a stream. */
interface Choice {
  readonly toolCalls: StreamedToolCalls;
  readonly signatures: CallSignatures;
  /** Whether it calls a function in the older way. */
  isCallingFunction: boolean;
  hasContent: boolean;
  /** Whether it says or calls something, beside its reasoning. */
  hasAnswer: boolean;
  /** A finish that is believed once the stream ends; undefined for none. */
  heldReason: string | undefined;
  /** Whether more came after such a one. */
  isContradicted: boolean;
  isFinished: boolean;
}

/**
 * Open WebUI says `stop` with its first chunk, which has no text yet, with each one of reasoning, or after each chunk:
 * https://github.com/open-webui/open-webui/pull/23929, https://github.com/open-webui/open-webui/issues/16377,
 * https://github.com/1jehuang/jcode/issues/1326 (2026-11-26).
 */
const SAID_TOO_EARLY = 'stop';

/** Translates the chunks of one stream. */
export class ChunkReader {
  readonly #choices = new Map<number, Choice>();
  readonly #members = new StreamedMembers();
  readonly #rules: AnswerRules;
  readonly #ids: AnswerCallIds;
  readonly #isSingle: boolean;
  readonly #doubtsStops: boolean;
  readonly #tools: readonly string[];
  /** The host's index of the first choice. */
  #first: number | undefined;
  #fingerprint: string | undefined;

  /**
   * `request`: what was asked, of which the number of choices and the names of tools count. `doubtsStops`: whether `stop` may be
   * said too early, so that `end` is called.
   */
  constructor(
    rules: AnswerRules = ANY_HOST,
    ids: AnswerCallIds = new AnswerCallIds(),
    { n: asked, tools }: Readonly<Record<string, unknown>> = {},
    doubtsStops = false,
  ) {
    this.#rules = rules;
    this.#ids = ids;
    this.#tools = elements(tools).flatMap((tool) => textOf(members(members(tool).function).name) ?? []);
    this.#doubtsStops = doubtsStops;
    this.#isSingle = asked === 1 || asked === undefined || asked === null;
  }

  /** Throws `UpstreamFailure` `malformed` for more than an answer may have. */
  read(chunk: JsonObject): NormalizedEvent[] {
    const events: NormalizedEvent[] = [];
    const fingerprint = textOf(chunk.system_fingerprint);
    if (fingerprint !== undefined && fingerprint !== this.#fingerprint) {
      this.#fingerprint = fingerprint;
      events.push({ type: 'fingerprint', fingerprint });
    }
    const mode = modeIn(chunk);
    if (mode !== undefined) events.push({ type: 'mode', mode });
    const news = this.#members.take(chunk);
    if (news !== undefined) events.push({ type: 'members', members: news });
    boundedElements(chunk.choices, MAX_CHOICES).forEach((choice, position) => {
      this.#readChoice(members(choice), position, events);
    });
    const usage = usageOf(chunk, this.#rules);
    if (usage !== undefined) events.push({ type: 'usage', usage });
    return events;
  }

  /**
   * What the host's word that the stream is done tells: some never name a finish reason. A choice without any content stays
   * unfinished. Throws `UpstreamFailure` `truncated` where the arguments of a call have no end.
   */
  done(): NormalizedEvent[] {
    const events: NormalizedEvent[] = [];
    for (const [index, choice] of this.#choices) {
      if (choice.isFinished || choice.heldReason !== undefined || !choice.hasContent) continue;
      if (choice.toolCalls.isCut) throw truncated();
      this.#finish(choice, index, undefined, events);
    }
    return [...events, ...this.end()];
  }

  /** What the end of the stream tells: nothing has come after the finishes that were held. */
  end(): NormalizedEvent[] {
    const events: NormalizedEvent[] = [];
    for (const [index, choice] of this.#choices) {
      if (choice.isFinished || choice.heldReason === undefined) continue;
      this.#finish(choice, index, choice.heldReason, events);
    }
    return events;
  }

  /**
   * Ignores what comes after a choice's finish reason, such as Azure's late filter results, unless the reason was too early to
   * be believed.
   */
  #readChoice(raw: JsonObject, position: number, events: NormalizedEvent[]): void {
    const index = this.#indexOf(choiceIndex(raw.index, position));
    const known = this.#choices.get(index);
    if (known?.isFinished === true) return;
    const choice = known ?? this.#begin(index);
    const delta = deltaOf(raw.delta ?? raw.message ?? textMessage(raw), this.#rules, choice);
    choice.isCallingFunction ||= delta.function_call !== undefined;
    choice.hasContent ||= choice.toolCalls.hasCalls || Object.values(delta).some(isSomething);
    choice.hasAnswer ||= choice.toolCalls.hasCalls || isAnswer(delta);
    if (choice.heldReason !== undefined && Object.values(delta).some(isSomething)) {
      choice.heldReason = undefined;
      choice.isContradicted = true;
    }
    const logprobs = choiceLogprobs(raw.logprobs);
    if (known === undefined || logprobs !== undefined || Object.keys(delta).length > 0) {
      events.push({ type: 'delta', index, delta, ...(logprobs !== undefined && { logprobs }) });
    }
    const nativeReason = nativeReasonIn(raw.finish_reason);
    if (nativeReason === undefined) return;
    if (this.#doubtsStops && isEarly(choice, nativeReason)) choice.heldReason = nativeReason;
    else this.#finish(choice, index, nativeReason, events);
  }

  /** Some hosts begin with 1; what is asked for as one choice is the choice 0, whichever the host begins with. */
  #indexOf(index: number): number {
    this.#first ??= index;
    if (!this.#isSingle || this.#first === 0) return index;
    if (index === this.#first) return 0;
    return index === 0 ? this.#first : index;
  }

  #begin(index: number): Choice {
    const toolCalls = new StreamedToolCalls(this.#ids, this.#tools);
    const signatures = new CallSignatures();
    const choice: Choice = {
      ...{ toolCalls, signatures, isCallingFunction: false, hasContent: false, hasAnswer: false },
      ...{ heldReason: undefined, isContradicted: false, isFinished: false },
    };
    this.#choices.set(index, choice);
    return choice;
  }

  #finish(choice: Choice, index: number, nativeReason: string | undefined, events: NormalizedEvent[]): void {
    const { toolCalls } = choice;
    const reason = finishReasonOf(nativeReason, this.#rules, toolCalls.hasCalls || choice.isCallingFunction);
    choice.isFinished = true;
    const tool_calls = toolCalls.finish();
    if (tool_calls.length > 0) events.push({ type: 'delta', index, delta: { tool_calls } });
    events.push({ type: 'finish', index, reason, nativeReason: nativeReason ?? null });
  }
}

function isEarly({ hasAnswer, isContradicted, toolCalls }: Choice, reason: string): boolean {
  if (reason.toLowerCase() !== SAID_TOO_EARLY) return false;
  return isContradicted || !hasAnswer || toolCalls.hasOpen;
}

const REASONING: ReadonlySet<string> = new Set(['reasoning', 'reasoning_details']);

function isAnswer(delta: ChunkDelta): boolean {
  return Object.entries(delta).some(([name, value]) => !REASONING.has(name) && isSomething(value));
}

function isSomething(value: unknown): boolean {
  return !Array.isArray(value) || value.length > 0;
}

function deltaOf(raw: unknown, rules: AnswerRules, { toolCalls: calls, signatures }: Choice): ChunkDelta {
  const { content, refusal, reasoning, toolCalls, others } = readAssistantOutput(raw, rules);
  // `others` is a new object already. Spreading it into another would cost more than the rest of the chunk.
  const delta: Writable<ChunkDelta> = others;
  if (content !== undefined) delta.content = content;
  if (refusal !== undefined) delta.refusal = refusal;
  if (reasoning !== undefined) delta.reasoning = reasoning;
  if (toolCalls.length > 0) {
    const fragments = calls.take(toolCalls);
    if (fragments.length > 0) delta.tool_calls = fragments;
    const details = signatures.detailsWith(delta.reasoning_details, fragments, calls.idOf);
    if (details !== undefined) delta.reasoning_details = details;
  }
  return delta;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
