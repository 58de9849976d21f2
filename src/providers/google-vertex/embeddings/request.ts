import type { VertexCredential } from '../../../byok/kinds/google-vertex.js';
import type { JsonObject } from '../../../formats/json.js';
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
export async function embeddingsRequest(
  call: UpstreamCall<VertexCredential, 'embeddings'>,
  { name, method }: EmbeddingModel,
): Promise<Outgoing> {
  const { provider, credential, region, body } = call;
  const { dimensions, input_type } = body;
  reportLeftOut(call, ['input_type']);
  return {
    url: resourceUrl(provider, credential.projectId, region, {
      path: `publishers/google/models/${pathSegment(name)}:${method}`,
    }),
    headers: {},
    body: BODIES[method](await textsOf(call), {
      task: TASK_TYPES.get(input_type) ?? input_type ?? undefined,
      parameters: {
        autoTruncate: false,
        ...(typeof dimensions === 'number' && { outputDimensionality: dimensions }),
      },
    }),
  };
}

interface Asked {
  readonly task: unknown;
  readonly parameters: JsonObject;
}

const BODIES: Readonly<
  Record<EmbeddingModel['method'], (texts: readonly unknown[], asked: Asked) => JsonObject>
> = {
  predict: (texts, { task, parameters }) => ({
    instances: texts.map((content) => ({ content, ...(task !== undefined && { task_type: task }) })),
    parameters,
  }),
  embedContent: ([text], { task, parameters }) => ({
    content: { role: 'user', parts: [{ text }] },
    embedContentConfig: { ...(task !== undefined && { taskType: task }), ...parameters },
  }),
};
