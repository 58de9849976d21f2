/** What the hosts of each adapter take of requests, by which the plan leaves out those that can't be sent one. */
import type { ChatContract } from '../catalog/chat-contract.js';
import type { ContractsOfAdapters } from '../catalog/contracts.js';
import { sentChatsAs } from '../catalog/formats.js';
import type { MessagesContract } from '../catalog/messages-contract.js';
import type { ResponsesContract } from '../catalog/responses-contract.js';
import type { Endpoint } from '../catalog/types.js';
import { converseContract } from './amazon-bedrock/chat/contract.js';
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
import { AT_VERTEX } from './google-vertex/host/messages-contract.js';
import { contractAt } from './openai/chat/request.js';
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
  (endpoint: Endpoint): ResponsesContract =>
    responsesContract(endpoint, host);

export const HOST_CONTRACTS: ContractsOfAdapters = {
  openai: {
    chat: (endpoint, provider) =>
      sentChatsAs(endpoint) === 'chat' ? contractAt(endpoint, provider, endpoint.region) : ofClaude(endpoint),
    messages: at(AT_ANTHROPIC),
    responses: forResponses(AT_OPENAI),
    completions: null,
  },
  azure: {
    chat: (endpoint) => (sentChatsAs(endpoint) === 'chat' ? azureContract(endpoint) : ofClaude(endpoint)),
    messages: at(AT_FOUNDRY),
    responses: forResponses(AT_AZURE),
    completions: null,
  },
  anthropic: { chat: ofClaude, messages: at(AT_ANTHROPIC), responses: null, completions: null },
  'amazon-bedrock': {
    chat: once(converseContract),
    messages: at(AT_BEDROCK),
    responses: null,
    completions: null,
  },
  'google-vertex': {
    chat: once(vertexContract),
    messages: at(AT_VERTEX),
    responses: null,
    completions: null,
  },
  demo: { chat: null, messages: null, responses: null, completions: null },
};
