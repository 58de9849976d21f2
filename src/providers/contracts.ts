/** What the hosts of each adapter take of requests, by which the plan leaves out those that can't be sent one. */
import type { ChatContract } from '../catalog/chat-contract.js';
import type { ContractsOfAdapters } from '../catalog/contracts.js';
import type { EmbeddingsContract } from '../catalog/embeddings-contract.js';
import { type ChatFormat, sentChatsAs } from '../catalog/formats.js';
import type { MessagesContract } from '../catalog/messages-contract.js';
import type { ResponsesContract } from '../catalog/responses-contract.js';
import type { Endpoint, Provider } from '../catalog/types.js';
import { converseContract } from './amazon-bedrock/chat/contract.js';
import { embeddingsContract as bedrockEmbeddings } from './amazon-bedrock/embeddings/contract.js';
import { AT_BEDROCK } from './amazon-bedrock/messages/contract.js';
import { claudeContract } from './anthropic/chat/contract.js';
import {
  AT_ANTHROPIC,
  AT_FOUNDRY,
  type HostFacts,
  messagesContract,
} from './anthropic/host/messages-contract.js';
import { contractOf as azureContract } from './azure/chat/request.js';
import { contractOf as vertexContract } from './google-vertex/chat/publishers.js';
import { contractAtVertex } from './google-vertex/host/messages-contract.js';
import { contractAt } from './openai/chat/request.js';
import { contractOverResponses } from './openai/chat-over-responses/contract.js';
import { AZURE_CONTRACT, embeddingsContract } from './openai/embeddings/contract.js';
import { AT_AZURE, AT_OPENAI, type ResponsesHost, responsesContract } from './openai/responses/contract.js';

/** Plans ask for the contract of each endpoint of each request. */
function once(make: (endpoint: Endpoint) => ChatContract): (endpoint: Endpoint) => ChatContract {
  const known = new WeakMap<Endpoint, ChatContract>();
  return (endpoint) => {
    const contract = known.get(endpoint) ?? make(endpoint);
    known.set(endpoint, contract);
    return contract;
  };
}

const ofClaude = once(({ upstreamModelId }) => claudeContract(upstreamModelId));

const at =
  (host: HostFacts) =>
  (endpoint: Endpoint): MessagesContract =>
    messagesContract(endpoint, host);

const forResponses =
  (host: ResponsesHost) =>
  (endpoint: Endpoint, provider: Provider): ResponsesContract =>
    responsesContract(endpoint, provider, host);

/** By the format that an endpoint of a host that speaks several is sent chats in. */
const CHATS_OF: Readonly<
  Record<ChatFormat, (endpoint: Endpoint, provider: Provider, ofHost: () => ChatContract) => ChatContract>
> = {
  chat: (_, __, ofHost) => ofHost(),
  messages: ofClaude,
  responses: contractOverResponses,
};

/** Google judges numbers of dimensions itself. */
const TEXTS: EmbeddingsContract = { takesMedia: false, dimensions: 'any' };

export const HOST_CONTRACTS: ContractsOfAdapters = {
  openai: {
    chat: (endpoint, provider) =>
      CHATS_OF[sentChatsAs(endpoint)](endpoint, provider, () =>
        contractAt(endpoint, provider, endpoint.region),
      ),
    messages: at(AT_ANTHROPIC),
    responses: forResponses(AT_OPENAI),
    completions: null,
    embeddings: embeddingsContract,
    rerank: null,
  },
  azure: {
    chat: (endpoint, provider) =>
      CHATS_OF[sentChatsAs(endpoint)](endpoint, provider, () => azureContract(endpoint)),
    messages: at(AT_FOUNDRY),
    responses: forResponses(AT_AZURE),
    completions: null,
    embeddings: () => AZURE_CONTRACT,
    rerank: null,
  },
  anthropic: {
    chat: ofClaude,
    messages: at(AT_ANTHROPIC),
    responses: null,
    completions: null,
    embeddings: null,
    rerank: null,
  },
  'amazon-bedrock': {
    chat: once(converseContract),
    messages: at(AT_BEDROCK),
    responses: null,
    completions: null,
    embeddings: bedrockEmbeddings,
    rerank: null,
  },
  'google-vertex': {
    chat: once(vertexContract),
    messages: contractAtVertex,
    responses: null,
    completions: null,
    embeddings: () => TEXTS,
    rerank: null,
  },
  demo: { chat: null, messages: null, responses: null, completions: null, embeddings: null, rerank: null },
};
