/** Requests in the Responses format, for endpoints that speak it. */
import { sessionKeyOf } from '../../../formats/session/hint.js';
import type { CallCommons, UpstreamCall } from '../../../inference/ports/adapter.js';
import type { Outgoing } from '../../http/codec.js';
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

type Call = UpstreamCall<unknown, 'responses'>;

/**
 * The request as it came, except for the provider's name of the model and whether the answer is streamed. Nothing is stored: hosts
 * store what does not say so.
 */
export function nativeRequest(
  { url, headers, model }: ResponsesTarget,
  call: Call,
  isStreamed: boolean,
): Outgoing {
  const { stream, stream_options, ...body } = call.body;
  const isSaid = isStreamed || stream !== undefined;
  const prompt_cache_key = sessionKeyOf(call);
  return {
    url,
    headers,
    body: {
      ...body,
      model,
      store: false,
      ...(prompt_cache_key !== undefined && { prompt_cache_key }),
      ...(isSaid && { stream: isStreamed }),
      ...(isStreamed && stream_options !== undefined && { stream_options }),
    },
  };
}

/** What decides the count: `InputTokenCountParams` of the package `openai` 6.49, without what needs a stored response. */
const COUNTED = [
  ...['input', 'instructions', 'parallel_tool_calls', 'reasoning', 'text', 'tool_choice', 'tools'],
  'truncation',
];

export function countRequest({ url, headers, model }: ResponsesTarget, { body }: Call): Outgoing {
  const { origin, pathname, search } = url;
  const counted = COUNTED.filter((name) => body[name] !== undefined);
  return {
    url: new URL(`${origin}${pathname}/input_tokens${search}`),
    headers,
    body: { ...Object.fromEntries(counted.map((name) => [name, body[name]])), model },
  };
}
