/** Chat completions of OpenAI and of compatible providers: `docs/formats.md#openai`. */
import { NO_KEY } from '../../byok/kinds/bare-key.js';
import type { OpenAiCredential } from '../../byok/kinds/openai.js';
import { type ChatFormat, sentChatsAs } from '../../catalog/formats.js';
import { chatOverMessages } from '../anthropic/chat/codec.js';
import { AT_ANTHROPIC } from '../anthropic/host/messages-contract.js';
import { messagesCodec } from '../anthropic/messages/codec.js';
import type { Codec, HttpProvider } from '../http/codec.js';
import type { Http } from '../http/http.js';
import type { InlineMedia } from '../http/inline-media.js';
import { chatCodec } from './chat/codec.js';
import { answerRulesOf, chatRequestWith, fitForHost } from './chat/request.js';
import { chatOverResponses } from './chat-over-responses/codec.js';
import { completionsCodec } from './completions/codec.js';
import { embeddingsCodec } from './embeddings/codec.js';
import { embeddingsRequest, rulesAt } from './embeddings/request.js';
import { messagesTarget } from './messages/request.js';
import { rerankCodec } from './rerank/codec.js';
import { responsesCodec } from './responses/codec.js';
import { AT_COMPATIBLE, AT_OPENAI } from './responses/contract.js';
import { responsesTarget } from './responses/request.js';

export interface OpenAiDependencies {
  readonly http: Http;
  readonly inlineMedia: InlineMedia;
}

export function openAi({ http, inlineMedia }: OpenAiDependencies): HttpProvider<OpenAiCredential> {
  /** By the format that an endpoint is sent chats in. */
  const chats: Readonly<Record<ChatFormat, Codec<OpenAiCredential, 'chat'>>> = {
    chat: chatCodec<OpenAiCredential>({
      fit: fitForHost,
      request: chatRequestWith(inlineMedia),
      answerRulesOf,
    }),
    messages: chatOverMessages<OpenAiCredential>(messagesTarget, AT_ANTHROPIC),
    responses: chatOverResponses<OpenAiCredential>(responsesTarget),
  };
  const responses = responsesCodec<OpenAiCredential>(responsesTarget, AT_OPENAI);
  const compatible = responsesCodec<OpenAiCredential>(responsesTarget, AT_COMPATIBLE);
  return {
    send({ url, headers, body }, { credential: { apiKey }, signal, tenancy, hostHeaders, onSent }) {
      const authorized = apiKey === NO_KEY ? headers : { ...headers, authorization: `Bearer ${apiKey}` };
      return http.post({ url, headers: authorized, body, signal, tenancy, hostHeaders, onSent });
    },
    formats: {
      chat: (endpoint) => chats[sentChatsAs(endpoint)],
      messages: messagesCodec<OpenAiCredential>(messagesTarget, AT_ANTHROPIC),
      responses: ({ provider }) => (provider === 'openai' ? responses : compatible),
      completions: completionsCodec<OpenAiCredential>(),
      embeddings: embeddingsCodec<OpenAiCredential>({
        request: embeddingsRequest,
        rulesAt,
      }),
      rerank: rerankCodec<OpenAiCredential>(),
    },
  };
}
