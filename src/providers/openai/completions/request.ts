/** Text completions for hosts that copy OpenAI's: `docs/providers/openai-compatible.md#text-completions`. */
import { type HostName, hostNamed } from '../../../catalog/known-hosts.js';
import type { Provider } from '../../../catalog/types.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import type { Outgoing } from '../../http/codec.js';
import { providerUrl } from '../../http/provider-url.js';
import { hostNameOf, optionsOf } from '../chat/request.js';
import { type HostRules, rulesOf } from '../chat/rules.js';
import { DEFAULT_ROOT } from '../host/root.js';

type Call = UpstreamCall<unknown, 'completions'>;

/** Hosts that fill in between two texts somewhere else, by the path at which others would. */
const PATHS: { readonly [name in HostName]?: (path: string) => string } = {
  deepseek: (path) => path.replace(/(?:\/v1|\/beta)?\/completions$/, '/beta/completions'),
  mistral: (path) => path.replace(/\/completions$/, '/fim/completions'),
};

/** Throws an Error as `providerUrl` does. */
export function completionsUrl(provider: Pick<Provider, 'slug' | 'baseUrl'>, region: string | null): URL {
  const url = providerUrl(provider, DEFAULT_ROOT, region, '/completions');
  const name = hostNamed(url.host, provider.slug);
  const pathAt = name && PATHS[name];
  if (pathAt !== undefined) url.pathname = pathAt(url.pathname);
  return url;
}

/** Throws an Error as `providerUrl` does. */
export function hostRulesOf({ endpoint, provider, region }: Call): HostRules {
  return rulesOf(endpoint, provider, completionsUrl(provider, region).host);
}

/**
 * The request as it came, except for the provider's names of the model and of members, whether the answer is streamed, and that
 * a stream tells its usage. Throws an Error as `providerUrl` does.
 */
export function completionRequest(call: Call, isStreamed: boolean): Outgoing {
  const { endpoint, provider, region, body } = call;
  const { quirks } = hostRulesOf(call);
  const { stream, stream_options, ...members } = body;
  const sent = Object.entries(members).flatMap(([name, value]) => {
    const hostName = hostNameOf(name, quirks);
    if (hostName === null) call.onAdapted?.(name, 'left_out');
    return hostName === null ? [] : [[hostName, value] as const];
  });
  return {
    url: completionsUrl(provider, region),
    headers: {},
    body: {
      ...Object.fromEntries(sent),
      model: endpoint.upstreamModelId,
      ...streaming(stream_options, quirks, isStreamed),
    },
  };
}

function streaming(
  requested: unknown,
  { streamOptions }: HostRules['quirks'],
  isStreamed: boolean,
): JsonObject {
  if (!isStreamed) return {};
  return { stream: true, ...(streamOptions && { stream_options: optionsOf(requested, streamOptions) }) };
}
