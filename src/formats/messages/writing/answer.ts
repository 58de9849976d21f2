import { deltasOf } from '../../chat/thought-positions.js';
import type { AssistantMessage, ChatAnswer, FinishReason, JsonObject, Usage } from '../../chat/types.js';
import type { MessagesAnswer, MessagesUsage, StopReason } from '../types.js';
import type { WritingRules } from '../writing-rules.js';
import { BlockWriter } from './block-writer.js';
import { blocksIn } from './collect.js';

export type { WritingRules } from '../writing-rules.js';

/**
 * Translates a chat's answer to Messages. `model` is the name of the model in the answer. `written1hTokens` is the part
 * of `cache_write_tokens` that is cached for an hour, which a chat's usage does not say.
 */
export function messagesAnswer(
  answer: ChatAnswer,
  model: string,
  rules: WritingRules,
  written1hTokens = 0,
): MessagesAnswer {
  const [choice] = answer.choices;
  const message = choice?.message;
  const { writer, events } = writtenBlocks(message, rules);
  return {
    ...emptyAnswer(answer.id, model, messagesUsage(answer.usage, written1hTokens, answer.service_tier)),
    content: blocksIn(events),
    ...endingOf({
      reason: choice?.finish_reason ?? 'stop',
      native: choice?.native_finish_reason ?? null,
      refusal: message?.refusal ?? '',
      hasCalls: writer.hasCalls,
    }),
  };
}

/** Whether the answer would have a thought that can't be sent back to its model. */
export function hasForgotten(message: AssistantMessage | undefined, rules: WritingRules): boolean {
  if (message?.reasoning_details === undefined && rules.showsThoughts) return false;
  return writtenBlocks(message, rules).writer.hasForgotten;
}

function writtenBlocks(message: AssistantMessage | undefined, rules: WritingRules) {
  const writer = new BlockWriter(rules);
  const deltas = message === undefined ? [] : deltasOf(message);
  const events = deltas.flatMap((delta) => writer.write(delta));
  return { writer, events: [...events, ...writer.end()] };
}

/** An answer without content, as a stream begins with. */
export function emptyAnswer(id: string, model: string, usage: MessagesUsage): MessagesAnswer {
  return {
    id: messageId(id),
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage,
  };
}

const ID_PREFIX = 'msg_';

/** The id of an answer, which contains the id of its generation. */
export function messageId(generationId: string): string {
  return ID_PREFIX + generationId;
}

/** How a chat's message ended. */
export interface ChatEnding {
  readonly reason: FinishReason;
  readonly native: string | null;
  readonly refusal: string;
  readonly hasCalls: boolean;
}

type Ending = Pick<MessagesAnswer, 'stop_reason' | 'stop_sequence' | 'stop_details'>;

export function endingOf({ reason, native, refusal, hasCalls }: ChatEnding): Ending {
  const isRefused = reason === 'content_filter' || refusal !== '';
  const stop_reason = isRefused ? 'refusal' : stopReasonOf(reason, native, hasCalls);
  return { stop_reason, stop_sequence: null, stop_details: isRefused ? detailsOf(refusal) : null };
}

function detailsOf(refusal: string): JsonObject {
  return { type: 'refusal', category: null, explanation: refusal === '' ? null : refusal };
}

/** Stop reasons that no finish reason of a chat can express. */
const NATIVE: readonly StopReason[] = ['pause_turn', 'stop_sequence', 'model_context_window_exceeded'];

/** The stop reason. Some hosts finish with `stop` although a tool is called. */
function stopReasonOf(reason: FinishReason, native: string | null, hasCalls: boolean): StopReason {
  const same = NATIVE.find((name) => name === native);
  if (same !== undefined) return same;
  if (reason === 'length') return 'max_tokens';
  return hasCalls ? 'tool_use' : 'end_turn';
}

const TIERS: ReadonlyMap<unknown, string> = new Map([
  ['default', 'standard'],
  ['standard', 'standard'],
  ['priority', 'priority'],
  ['batch', 'batch'],
]);

/**
 * Translates the usage. A chat counts tokens read from and written to a cache as part of the prompt; Messages does not.
 */
export function messagesUsage(usage: Usage, written1hTokens: number, tier: unknown): MessagesUsage {
  const { cached_tokens, cache_write_tokens } = usage.prompt_tokens_details;
  const { cost, is_byok, cost_details } = usage;
  return {
    input_tokens: Math.max(0, usage.prompt_tokens - cached_tokens - cache_write_tokens),
    cache_read_input_tokens: cached_tokens,
    cache_creation_input_tokens: cache_write_tokens,
    cache_creation: {
      ephemeral_5m_input_tokens: cache_write_tokens - written1hTokens,
      ephemeral_1h_input_tokens: written1hTokens,
    },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { thinking_tokens: usage.completion_tokens_details.reasoning_tokens },
    server_tool_use: null,
    service_tier: TIERS.get(tier) ?? null,
    inference_geo: null,
    speed: null,
    cost,
    is_byok,
    cost_details,
  };
}

/** The usage at the start of a stream: an estimate of the prompt. */
export function noUsage(input_tokens: number): MessagesUsage {
  return {
    input_tokens,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_creation: null,
    output_tokens: 0,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: null,
    inference_geo: null,
    speed: null,
  };
}
