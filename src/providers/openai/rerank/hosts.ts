/** What hosts of reranking do otherwise than Cohere's API says: `docs/rerank.md#hosts`, with sources. */
import { type VectorHostName, vectorHostNamed } from '../../../catalog/known-hosts.js';
import type { JsonObject } from '../../../formats/json.js';

export interface RerankHost {
  /** Where it has reranking, if not below the root of its other APIs. */
  readonly path?: string;
  /** Its names of members; null = it refuses them. */
  readonly members: Readonly<Record<string, string | null>>;
  /** Whether it refuses all other members. */
  readonly isClosed: boolean;
  /** What it is asked besides. */
  readonly asked: JsonObject;
}

const HOSTS: { readonly [name in VectorHostName]?: RerankHost } = {
  cohere: {
    path: '/v2/rerank',
    members: { top_n: 'top_n', max_tokens_per_doc: 'max_tokens_per_doc', priority: 'priority' },
    isClosed: true,
    asked: {},
  },
  jina: {
    members: { max_tokens_per_doc: null },
    isClosed: false,
    asked: { return_documents: false },
  },
  voyage: {
    members: { top_n: 'top_k', truncation: 'truncation' },
    isClosed: true,
    asked: {},
  },
};

/** Nothing is known of others. */
const UNKNOWN: RerankHost = { members: {}, isClosed: false, asked: {} };

/** By the host that is called, else by the provider's slug, as behind a proxy. */
export function rerankHost(host: string, slug: string): RerankHost {
  const name = vectorHostNamed(host, slug);
  return (name && HOSTS[name]) ?? UNKNOWN;
}
