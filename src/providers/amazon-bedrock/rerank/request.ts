/** Reranking over InvokeModel: `docs/rerank.md#hosts`, with sources. */
import type { BedrockCredential } from '../../../byok/kinds/amazon-bedrock.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import type { Outgoing } from '../../http/codec.js';
import { modelUrl } from '../host/url.js';

type Call = UpstreamCall<BedrockCredential, 'rerank'>;

const SENT: ReadonlySet<string> = new Set(['model', 'query', 'documents', 'top_n']);

/** Cohere's models have two APIs, of which the first is assumed where none is named. */
const COHERE = /(?:^|[./])cohere\.rerank/;
const COHERE_API_VERSION = 2;

/** Throws as `modelUrl` does. */
export function rerankRequest(call: Call): Outgoing {
  const { body, endpoint, onAdapted } = call;
  const { query, documents, top_n } = body;
  for (const name of Object.keys(body)) if (!SENT.has(name)) onAdapted?.(name, 'left_out');
  const version = COHERE.test(endpoint.upstreamModelId) && { api_version: COHERE_API_VERSION };
  return {
    url: modelUrl(call, 'invoke'),
    headers: {},
    body: { query, documents, top_n, ...version },
  };
}
