import { MAX_CHOICES } from '../../../../formats/answer-size.js';
import type { JsonObject } from '../../../../formats/chat/types.js';
import { members, textOf } from '../../../../formats/json.js';
import type { UpstreamEvent } from '../../../../inference/ports/adapter.js';
import { UpstreamFailure } from '../../../../inference/ports/failure.js';
import { boundedElements, choiceIndex } from '../../../common/answer-bounds.js';
import { AnswerCallIds } from '../../../common/answer-call-ids.js';
import { ChoiceReader } from './choice.js';
import { finishReasonOf } from './finish-reason.js';
import { logprobsOf } from './logprobs.js';
import { modeIn, tierMember } from './tier.js';
import { GeminiUsage } from './usage.js';

/** Translates one answer: the chunks of its stream, or the whole answer as a single chunk. */
export class GeminiReader {
  readonly #choices = new Map<number, ChoiceReader>();
  readonly #usage = new GeminiUsage();
  readonly #ids: AnswerCallIds;
  #responseId = '';
  #calls = 0;

  constructor(ids: AnswerCallIds = new AnswerCallIds()) {
    this.#ids = ids;
  }

  /** Throws `UpstreamFailure` if the prompt was refused, and for more than an answer may have. */
  read(chunk: JsonObject): UpstreamEvent[] {
    const events: UpstreamEvent[] = [];
    this.#responseId ||= textOf(chunk.responseId) ?? '';
    throwBlocked(chunk);
    boundedElements(chunk.candidates, MAX_CHOICES).forEach((candidate, position) => {
      this.#readChoice(members(candidate), position, events);
    });
    // Last, since a chunk's counts include its own text.
    const mode = modeIn(chunk);
    if (mode !== undefined) events.push({ type: 'mode', mode });
    const news = tierMember(chunk);
    if (news !== undefined) events.push({ type: 'members', members: news });
    const usage = this.#usage.take(chunk);
    if (usage !== undefined) events.push({ type: 'usage', usage });
    return events;
  }

  /** Ignores what comes after a choice's finish reason. */
  #readChoice(candidate: JsonObject, position: number, events: UpstreamEvent[]): void {
    const index = choiceIndex(candidate.index, position);
    const choice = this.#choices.get(index) ?? new ChoiceReader(this.#nextCallId);
    this.#choices.set(index, choice);
    if (choice.isFinished) return;
    const delta = choice.read(candidate);
    const logprobs = logprobsOf(candidate);
    if (Object.keys(delta).length > 0 || logprobs !== undefined) {
      events.push({ type: 'delta', index, delta, ...(logprobs && { logprobs }) });
    }
    const nativeReason = textOf(candidate.finishReason);
    if (nativeReason === undefined || nativeReason === 'FINISH_REASON_UNSPECIFIED') return;
    choice.isFinished = true;
    const reason = finishReasonOf(nativeReason, candidate, choice.hasCalls);
    events.push({ type: 'finish', index, reason, nativeReason });
  }

  /** Made from the response's id if it has one, so that a line of a batch has the same ids each time it is read. */
  readonly #nextCallId = (given: string | undefined) => {
    const answer = PLAIN_ID.test(this.#responseId) ? this.#responseId.slice(0, MAX_ANSWER_ID) : '';
    const made = answer === '' ? undefined : `call_${answer}_${this.#calls}`;
    this.#calls += 1;
    return this.#ids.next(given ?? made);
  };
}

/** A response's id is only used if it is plain, and then unchanged, so that redaction still finds a secret in it. */
const PLAIN_ID = /^[\w-]+$/;

/** Other providers, which may continue the conversation, accept ids of at most 40 characters. */
const MAX_ANSWER_ID = 28;

function throwBlocked({ promptFeedback }: JsonObject): void {
  const { blockReason, blockReasonMessage } = members(promptFeedback);
  const reason = textOf(blockReason);
  if (reason === undefined || reason === 'BLOCKED_REASON_UNSPECIFIED') return;
  const message = textOf(blockReasonMessage) ?? `The provider refused the prompt: ${reason}`;
  throw new UpstreamFailure(message, { kind: 'content_filter' });
}
