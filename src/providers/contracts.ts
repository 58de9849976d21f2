/** What the hosts of each adapter take of requests, by which the plan leaves out those that can't be sent one. */
import type { ChatContract } from '../catalog/chat-contract.js';
import type { ContractsOfAdapters } from '../catalog/contracts.js';
import { sentChatsAs } from '../catalog/formats.js';
import type { MessagesContract } from '../catalog/messages-contract.js';
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
import { contractAtVertex } from './google-vertex/host/messages-contract.js';
import { contractAt } from './openai/chat/request.js';

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

export const HOST_CONTRACTS: ContractsOfAdapters = {
  openai: {
    chat: (endpoint, provider) =>
      sentChatsAs(endpoint) === 'chat' ? contractAt(endpoint, provider, endpoint.region) : ofClaude(endpoint),
    messages: at(AT_ANTHROPIC),
  },
  azure: {
    chat: (endpoint) => (sentChatsAs(endpoint) === 'chat' ? azureContract(endpoint) : ofClaude(endpoint)),
    messages: at(AT_FOUNDRY),
  },
  anthropic: { chat: ofClaude, messages: at(AT_ANTHROPIC) },
  'amazon-bedrock': { chat: once(converseContract), messages: at(AT_BEDROCK) },
  'google-vertex': { chat: once(vertexContract), messages: contractAtVertex },
  demo: { chat: null, messages: null },
};
