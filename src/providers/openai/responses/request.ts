/** Requests in the Responses format, for endpoints that speak it. */
import type { CallCommons } from '../../../inference/ports/adapter.js';
import { providerUrl } from '../../http/provider-url.js';
import { DEFAULT_ROOT } from '../host/root.js';
import type { ResponsesTarget } from './target.js';

/** Throws an Error as `providerUrl` does. */
export function responsesTarget({ provider, region, endpoint }: CallCommons): ResponsesTarget {
  return {
    url: providerUrl(provider, DEFAULT_ROOT, region, '/responses'),
    headers: {},
    model: endpoint.upstreamModelId,
  };
}
