/**
 * Google Vertex AI with service accounts, for models of Google, Anthropic and others: `docs/formats.md#google-vertex`.
 */
import type { VertexCredential } from '../../byok/kinds/google-vertex.js';
import type { HttpProvider } from '../http/codec.js';
import type { Http } from '../http/http.js';
import type { InlineMedia } from '../http/inline-media.js';
import { publisherCodecs } from './chat/codec.js';
import { EMBEDDINGS_CODEC } from './embeddings/codec.js';
import { publishedModel } from './host/publisher.js';
import { sender } from './host/send.js';
import type { AccessTokens } from './host/token.js';
import { rawPredictCodec } from './messages/codec.js';

export interface VertexDependencies {
  /** For Google's hosts, and hosts that the operator names. */
  readonly http: Http;
  /** Shared with batches. */
  readonly tokens: AccessTokens;
  /** Fetches media that a request names by URL, for publishers whose models accept no URLs. */
  readonly inlineMedia: InlineMedia;
}

export function vertex({ http, tokens, inlineMedia }: VertexDependencies): HttpProvider<VertexCredential> {
  const codecs = publisherCodecs(inlineMedia);
  return {
    send: sender(http, tokens),
    formats: {
      chat: ({ upstreamModelId }) => codecs[publishedModel(upstreamModelId).publisher],
      messages: rawPredictCodec(inlineMedia),
      responses: null,
      completions: null,
      embeddings: EMBEDDINGS_CODEC,
      rerank: null,
    },
  };
}
