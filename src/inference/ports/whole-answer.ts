import { deltasOf } from '../../formats/chat/thought-positions.js';
import type { NormalizedAnswer, UpstreamEvent } from './adapter.js';

/**
 * The events that a stream of this answer would have had. Some hosts, models and proxies answer in one piece although a
 * stream was requested.
 */
export function eventsOf({
  choices,
  usage,
  members,
  mode,
  systemFingerprint: fingerprint,
}: NormalizedAnswer): UpstreamEvent[] {
  return [
    ...(members === undefined ? [] : [{ type: 'members', members } as const]),
    ...(mode === undefined ? [] : [{ type: 'mode', mode } as const]),
    ...(fingerprint === null ? [] : [{ type: 'fingerprint', fingerprint } as const]),
    ...choices.flatMap(({ index, message, finish_reason, native_finish_reason, logprobs }) => [
      ...deltasOf(message).map(
        (delta, position) =>
          ({
            type: 'delta',
            index,
            delta,
            ...(position === 0 && logprobs !== null && { logprobs }),
          }) as const,
      ),
      { type: 'finish', index, reason: finish_reason, nativeReason: native_finish_reason } as const,
    ]),
    { type: 'usage', usage },
  ];
}
