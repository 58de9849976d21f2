import { laneOf } from '../../catalog/formats.js';
import type { Endpoint, Format, Provider } from '../../catalog/types.js';

/**
 * The maximum of the answer's tokens that an endpoint is sent. Clients of other formats than chats must name one, and name
 * that of the models that they are made for: what is translated is sent what the endpoint gives at most.
 */
export function maxTokensAt(
  maxTokens: number,
  format: Format,
  endpoint: Endpoint,
  provider: Pick<Provider, 'adapter'>,
): number {
  if (format === 'chat' || laneOf(format, endpoint, provider) === 'native') return maxTokens;
  return Math.min(maxTokens, endpoint.maxCompletionTokens ?? Number.POSITIVE_INFINITY);
}
