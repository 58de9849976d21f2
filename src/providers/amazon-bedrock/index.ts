/** Amazon Bedrock: Converse, and InvokeModel for embeddings and requests in the Messages format: `docs/formats.md#amazon-bedrock`. */
import type { Clock } from '../../base/clock.js';
import type { BedrockCredential } from '../../byok/kinds/amazon-bedrock.js';
import type { HttpProvider } from '../http/codec.js';
import type { Http } from '../http/http.js';
import type { InlineMedia } from '../http/inline-media.js';
import { converseCodec } from './chat/codec.js';
import { INVOKE_CODEC } from './embeddings/codec.js';
import { sender } from './host/send.js';
import { invokeCodec } from './messages/codec.js';
import { rerankCodec } from './rerank/codec.js';

export interface BedrockDependencies {
  readonly http: Http;
  /** Fetches media that a request names by URL, which Bedrock does not do. */
  readonly inlineMedia: InlineMedia;
  readonly clock: Clock;
}

export function bedrock({ http, inlineMedia, clock }: BedrockDependencies): HttpProvider<BedrockCredential> {
  return {
    send: sender(http, clock),
    formats: {
      chat: converseCodec(inlineMedia),
      messages: invokeCodec(inlineMedia),
      responses: null,
      completions: null,
      embeddings: INVOKE_CODEC,
      rerank: rerankCodec(),
    },
  };
}
