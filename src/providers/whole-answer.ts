/** Answers that come in one piece although a stream was asked for: some hosts, models and proxies do not stream. */
import type { ChunkDelta, ToolCall } from '../formats/chat/types.js';
import type { ToldAnswer, UpstreamAnswer, UpstreamEvent } from '../inference/ports/adapter.js';
import { nativeEventsOf } from './anthropic/native-lane.js';
import type { HttpResponse } from './http/http.js';

/** Whether a response is JSON, as its head says: some hosts say so of streams too, which their first bytes show. */
export async function isJson({ headers, body }: HttpResponse): Promise<boolean> {
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '')) return false;
  const start = await body.peek();
  return start === undefined || !STREAM.test(start.toString('latin1', 0, MAX_START_BYTES));
}

/** Server-sent events begin with a field or a comment; the JSON of an answer never does. */
const STREAM = /^\s*(?:data|event|id|retry)?:/;
const MAX_START_BYTES = 64;

/** The events that a stream of this answer would have had. */
export function eventsOf(answer: UpstreamAnswer): UpstreamEvent[] {
  if (answer.format !== 'chat') return nativeEventsOf(answer.native);
  const { choices, usage, members, systemFingerprint: fingerprint } = answer;
  return [
    ...(members === undefined ? [] : [{ type: 'members', members } as const]),
    ...(fingerprint === null ? [] : [{ type: 'fingerprint', fingerprint } as const]),
    ...choices.flatMap(({ index, message, finish_reason, native_finish_reason, logprobs }) => [
      { type: 'delta', index, delta: deltaOf(message), ...(logprobs !== null && { logprobs }) } as const,
      { type: 'finish', index, reason: finish_reason, nativeReason: native_finish_reason } as const,
    ]),
    { type: 'usage', usage },
  ];
}

function deltaOf({
  role,
  content,
  refusal,
  tool_calls,
  ...others
}: ToldAnswer['choices'][number]['message']): ChunkDelta {
  return {
    ...others,
    ...(content && { content }),
    ...(refusal && { refusal }),
    ...(tool_calls !== undefined && { tool_calls: tool_calls.map(withIndex) }),
  };
}

function withIndex(call: ToolCall, index: number): ToolCall {
  return { index, ...call };
}
