import type { ChunkDelta, ToolCall } from '../../formats/chat/types.js';
import type { NormalizedAnswer, UpstreamEvent } from '../../inference/ports/adapter.js';

/**
 * The events that a stream of this answer would have had. Some hosts, models and proxies answer in one piece although a
 * stream was requested.
 */
export function eventsOf({
  choices,
  usage,
  members,
  systemFingerprint: fingerprint,
}: NormalizedAnswer): UpstreamEvent[] {
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
}: NormalizedAnswer['choices'][number]['message']): ChunkDelta {
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
