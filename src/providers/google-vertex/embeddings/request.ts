import type { VertexCredential } from '../../../byok/kinds/google-vertex.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import type { Outgoing } from '../../http/codec.js';
import { reportLeftOut, textsOf } from '../../vectors/native-calls.js';
import { pathSegment } from '../host/publisher.js';
import { resourceUrl } from '../host/url.js';
import type { EmbeddingModel } from './models.js';

/** Google's words for what embeddings are for; its own pass. */
const TASK_TYPES: ReadonlyMap<unknown, string> = new Map([
  ['search_query', 'RETRIEVAL_QUERY'],
  ['search_document', 'RETRIEVAL_DOCUMENT'],
  ['classification', 'CLASSIFICATION'],
  ['clustering', 'CLUSTERING'],
]);

/** What is too long is refused, as elsewhere, and not cut. Throws as `resourceUrl` and `textsOf` do. */
export async function predictRequest(
  call: UpstreamCall<VertexCredential, 'embeddings'>,
  { name }: EmbeddingModel,
): Promise<Outgoing> {
  const { provider, credential, region, body } = call;
  const { dimensions, input_type } = body;
  const task = TASK_TYPES.get(input_type) ?? input_type ?? undefined;
  reportLeftOut(call, ['input_type']);
  const texts = await textsOf(call);
  return {
    url: resourceUrl(provider, credential.projectId, region, {
      path: `publishers/google/models/${pathSegment(name)}:predict`,
    }),
    headers: {},
    body: {
      instances: texts.map((content) => ({ content, ...(task !== undefined && { task_type: task }) })),
      parameters: {
        autoTruncate: false,
        ...(typeof dimensions === 'number' && { outputDimensionality: dimensions }),
      },
    },
  };
}
