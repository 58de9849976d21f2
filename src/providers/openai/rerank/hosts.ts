/** What hosts of reranking do otherwise than Cohere's API says: `docs/rerank.md#hosts`, with sources. */
import type { JsonObject } from '../../../formats/json.js';

export interface RerankHost {
  readonly hosts: readonly string[];
  /** Where it has reranking, if not below the root of its other APIs. */
  readonly path?: string;
  /** Its names of members; null = it refuses them. */
  readonly members: Readonly<Record<string, string | null>>;
  /** Whether it refuses all other members. */
  readonly isClosed: boolean;
  /** What it is asked besides. */
  readonly asked: JsonObject;
}

/** By the slug of the provider. */
const HOSTS: Readonly<Record<string, RerankHost>> = {
  cohere: {
    hosts: ['api.cohere.com', 'api.cohere.ai'],
    path: '/v2/rerank',
    members: { top_n: 'top_n', max_tokens_per_doc: 'max_tokens_per_doc', priority: 'priority' },
    isClosed: true,
    asked: {},
  },
  jina: {
    hosts: ['api.jina.ai'],
    members: { max_tokens_per_doc: null },
    isClosed: false,
    asked: { return_documents: false },
  },
  voyage: {
    hosts: ['api.voyageai.com', 'ai.mongodb.com'],
    members: { top_n: 'top_k', truncation: 'truncation' },
    isClosed: true,
    asked: {},
  },
};

/** Nothing is known of others. */
const UNKNOWN: RerankHost = { hosts: [], members: {}, isClosed: false, asked: {} };

/** By the host that is called, else by the provider's slug, as behind a proxy. */
export function rerankHost(host: string, slug: string): RerankHost {
  const named = Object.values(HOSTS).find(({ hosts }) => hosts.includes(host));
  return named ?? (Object.hasOwn(HOSTS, slug) ? HOSTS[slug] : undefined) ?? UNKNOWN;
}
