/**
 * Azure: OpenAI's chat completions and Anthropic's messages, at the caller's resource or deployment:
 * `docs/formats.md#azure`.
 */
import type { AzureEntry } from '../../byok/kinds/azure.js';
import { type ChatFormat, sentChatsAs } from '../../catalog/formats.js';
import { chatOverMessages } from '../anthropic/chat/codec.js';
import { AT_FOUNDRY } from '../anthropic/host/messages-contract.js';
import { messagesCodec } from '../anthropic/messages/codec.js';
import type { Codec, HttpProvider } from '../http/codec.js';
import type { Http } from '../http/http.js';
import { chatCodec } from '../openai/chat/codec.js';
import { chatOverResponses } from '../openai/chat-over-responses/codec.js';
import { embeddingsCodec } from '../openai/embeddings/codec.js';
import { AZURE_RULES } from '../openai/embeddings/hosts.js';
import { responsesCodec } from '../openai/responses/codec.js';
import { AT_AZURE } from '../openai/responses/contract.js';
import { answerRulesOf, chatRequest, fitForHost } from './chat/request.js';
import { embeddingsRequest } from './embeddings.js';
import { messagesTarget } from './messages/request.js';
import { responsesTarget } from './responses/request.js';

export interface AzureDependencies {
  /** For hosts of Azure and of the operator. */
  readonly http: Http;
  /** For hosts that a credential names; refuses private addresses. */
  readonly guardedHttp: Http;
}

/** Chats, by the format that an endpoint is sent them in. */
const CHATS: Readonly<Record<ChatFormat, Codec<AzureEntry, 'chat'>>> = {
  chat: chatCodec<AzureEntry>({ fit: fitForHost, request: chatRequest, answerRulesOf }),
  messages: chatOverMessages(messagesTarget, AT_FOUNDRY),
  responses: chatOverResponses(responsesTarget),
};

/** The credential is the entry that serves the endpoint's model, chosen by `openCredential`. */
export function azure({ http, guardedHttp }: AzureDependencies): HttpProvider<AzureEntry> {
  return {
    send(request, { credential, provider, signal, tenancy, hostHeaders, onSent }) {
      const isGuarded = credential.kind === 'deployment' && provider.baseUrl === null;
      return (isGuarded ? guardedHttp : http).post({ ...request, signal, tenancy, hostHeaders, onSent });
    },
    formats: {
      chat: (endpoint) => CHATS[sentChatsAs(endpoint)],
      messages: messagesCodec(messagesTarget, AT_FOUNDRY),
      responses: responsesCodec(responsesTarget, AT_AZURE),
      completions: null,
      embeddings: embeddingsCodec({ request: embeddingsRequest, rulesAt: () => AZURE_RULES }),
      rerank: null,
    },
  };
}
