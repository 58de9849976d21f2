import type { UsagePaths } from '../../../catalog/quirks.js';
import { MAX_CHOICES } from '../../../formats/answer-size.js';
import type { ChunkDelta, JsonObject } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import type { UpstreamEvent } from '../../../inference/ports/adapter.js';
import { boundedElements, choiceIndex } from '../../common/answer-bounds.js';
import { StreamedMembers } from './answer-members.js';
import { readAssistantOutput, textMessage } from './assistant-output.js';
import { finishReasonOf } from './finish-reason.js';
import { StreamedToolCalls } from './tool-calls.js';
import { usageOf } from './usage.js';

/** The state of one choice of a stream. */
interface Choice {
  readonly toolCalls: StreamedToolCalls;
  isFinished: boolean;
}

/** Translates the chunks of one stream. */
export class ChunkReader {
  readonly #choices = new Map<number, Choice>();
  readonly #members = new StreamedMembers();
  readonly #usagePaths: UsagePaths | undefined;
  #fingerprint: string | undefined;

  /** `usagePaths`: where the host has counts in places of its own. */
  constructor(usagePaths?: UsagePaths) {
    this.#usagePaths = usagePaths;
  }

  /** Throws `UpstreamFailure` `malformed` for more than an answer may have. */
  read(chunk: JsonObject): UpstreamEvent[] {
    const events: UpstreamEvent[] = [];
    const fingerprint = textOf(chunk.system_fingerprint);
    if (fingerprint !== undefined && fingerprint !== this.#fingerprint) {
      this.#fingerprint = fingerprint;
      events.push({ type: 'fingerprint', fingerprint });
    }
    const news = this.#members.take(chunk);
    if (news !== undefined) events.push({ type: 'members', members: news });
    boundedElements(chunk.choices, MAX_CHOICES).forEach((choice, position) => {
      this.#readChoice(members(choice), position, events);
    });
    const usage = usageOf(chunk, this.#usagePaths);
    if (usage !== undefined) events.push({ type: 'usage', usage });
    return events;
  }

  /** Ignores what comes after a choice's finish reason, such as Azure's late filter results. */
  #readChoice(raw: JsonObject, position: number, events: UpstreamEvent[]): void {
    const index = choiceIndex(raw.index, position);
    const known = this.#choices.get(index);
    if (known?.isFinished === true) return;
    const choice = known ?? { toolCalls: new StreamedToolCalls(), isFinished: false };
    this.#choices.set(index, choice);
    const delta = deltaOf(raw.delta ?? textMessage(raw), choice.toolCalls);
    const logprobs = isObject(raw.logprobs) ? { logprobs: raw.logprobs } : {};
    if (known === undefined || 'logprobs' in logprobs || Object.keys(delta).length > 0) {
      events.push({ type: 'delta', index, delta, ...logprobs });
    }
    const nativeReason = textOf(raw.finish_reason);
    if (nativeReason === undefined) return;
    choice.isFinished = true;
    const reason = finishReasonOf(nativeReason);
    const tool_calls = choice.toolCalls.finish();
    if (tool_calls.length > 0) events.push({ type: 'delta', index, delta: { tool_calls } });
    events.push({ type: 'finish', index, reason, nativeReason });
  }
}

function deltaOf(raw: unknown, calls: StreamedToolCalls): ChunkDelta {
  const { content, refusal, reasoning, toolCalls, others } = readAssistantOutput(raw);
  // `others` is a new object already. Spreading it into another would cost more than the rest of the chunk.
  const delta: Writable<ChunkDelta> = others;
  if (content !== undefined) delta.content = content;
  if (refusal !== undefined) delta.refusal = refusal;
  if (reasoning !== undefined) delta.reasoning = reasoning;
  if (toolCalls.length > 0) delta.tool_calls = toolCalls.map((call) => calls.take(call));
  return delta;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
