/** Reranking at hosts that are called as OpenAI is. */
import type { JsonObject } from '../../../formats/json.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import type { Outgoing } from '../../http/codec.js';
import { providerUrl } from '../../http/provider-url.js';
import { DEFAULT_ROOT } from '../host/root.js';
import { type RerankHost, rerankHost } from './hosts.js';

type Call = UpstreamCall<unknown, 'rerank'>;

/** The request as it came, except for the host's names and what it refuses. Throws an Error as `providerUrl` does. */
export function rerankRequest(call: Call): Outgoing {
  const { provider, region } = call;
  const url = providerUrl(provider, DEFAULT_ROOT, region, '/rerank');
  // What stands in front of a host, and is known by its slug, has paths of its own.
  const { path } = rerankHost(url.host, '');
  if (path !== undefined) url.pathname = path;
  return { url, headers: {}, body: bodyAt(rerankHost(url.host, provider.slug), call) };
}

function bodyAt({ members, isClosed, asked }: RerankHost, { body, endpoint, onAdapted }: Call): JsonObject {
  const { model, query, documents, ...others } = body;
  const sent = Object.entries(others).flatMap(([name, value]) => {
    const own = Object.hasOwn(members, name) ? members[name] : isClosed ? null : name;
    if (own === null || own === undefined) onAdapted?.(name, 'left_out');
    return own === null || own === undefined ? [] : [[own, value] as const];
  });
  return { model: endpoint.upstreamModelId, query, documents, ...Object.fromEntries(sent), ...asked };
}
