import { isTranslated, laneOf, takesChats } from '../../catalog/formats.js';
import type { NativeDemand, RequestDemands } from '../types.js';
import { excludedFor, type ReasonedExclusion } from './exclusion.js';
import type { ServedEndpoint } from './reach-checks.js';

/** Whether the endpoint can be sent the request: in its format, or as a chat where that asks for the same. */
export function speakingFormat(
  { endpoint, provider }: ServedEndpoint,
  { native }: Pick<RequestDemands, 'native'>,
): ReasonedExclusion | undefined {
  if (native !== null && laneOf(native.format, endpoint, provider) === 'native') return undefined;
  if (native !== null && !isTranslated(native.format)) {
    if (native.nativeOnly.length === 0) return undefined;
    const message = `The endpoint speaks no ${native.format}, and is sent nothing else in their place: name another model, or send it a request of an API that it speaks (${apisOf(endpoint)})`;
    return needingFormat(native, message);
  }
  if (!takesChats(endpoint, provider)) {
    const message = `The endpoint takes no chats: send it a request of its own API (${apisOf(endpoint)}), or name another model`;
    return excludedFor('unsupported_parameter', message);
  }
  if (!native?.nativeOnly.length) return undefined;
  const only = native.nativeOnly.map(({ field }) => field).join(', ');
  return needingFormat(native, `The endpoint speaks no ${native.format}, which ${only} needs.`);
}

function apisOf({ formats }: ServedEndpoint['endpoint']): string {
  return formats.length === 0 ? 'chat' : formats.join(' and ');
}

function needingFormat({ nativeOnly }: NativeDemand, detail: string): ReasonedExclusion {
  return { ...excludedFor('unsupported_parameter', detail), violations: nativeOnly };
}
