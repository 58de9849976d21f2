/** What hosts take of chats that are sent as Responses requests: `docs/formats.md#chats-as-responses-requests`. */
import type { ChatContract } from '../../../catalog/chat-contract.js';
import { hostOf } from '../../../catalog/known-hosts.js';
import type { Quirks } from '../../../catalog/quirks.js';
import type { ResponsesContract } from '../../../catalog/responses-contract.js';
import type { Endpoint, Provider } from '../../../catalog/types.js';
import { rulesOf } from '../chat/rules.js';
import { AT_AZURE, AT_COMPATIBLE, responsesContract } from '../responses/contract.js';

/** The rules of an endpoint that is sent chats so. */
export interface RulesOverResponses {
  readonly quirks: Quirks;
  readonly contract: ChatContract;
  /** What of the request that is made of them. */
  readonly responses: ResponsesContract;
  /** Whether it is OpenAI's own API, or Azure's. */
  readonly isOpenAi: boolean;
}

/**
 * Where Responses differ from chats: they have no names of speakers, one answer, and keep nothing that `metadata` would be stored
 * with; models may reason beside tools.
 */
const OVER_RESPONSES: Partial<ChatContract> = {
  pairedCalls: true,
  extraMembers: false,
  functions: false,
  refusals: true,
  names: 'none',
  resultNames: false,
  storedMetadata: false,
  toolsWhileThinking: true,
  givenReasoning: false,
  signedCalls: false,
  maxChoices: 1,
  userParts: ['text', 'image_url', 'file'],
};

/** `ResponseInputItem` of npm openai 6.49.0: outputs may be lists of parts, and ids of calls have up to 64 characters. */
const OF_OPENAI: Partial<ChatContract> = { mediaInResults: true, maxCallId: 64 };

const known = new WeakMap<Endpoint, RulesOverResponses>();

export function rulesOverResponses(endpoint: Endpoint, provider: Provider): RulesOverResponses {
  const found = known.get(endpoint);
  if (found !== undefined) return found;
  const name = provider.adapter === 'azure' ? 'azure' : hostOf(provider);
  const { quirks, contract } = rulesOf(endpoint, { slug: name ?? provider.slug }, '');
  const isOpenAi = name === 'openai' || name === 'azure';
  const rules = {
    quirks,
    contract: {
      ...contract,
      ...OVER_RESPONSES,
      ...(isOpenAi && OF_OPENAI),
      ...endpoint.quirks.contract,
    },
    responses: responsesContract(endpoint, provider, name === 'azure' ? AT_AZURE : AT_COMPATIBLE),
    isOpenAi,
  };
  known.set(endpoint, rules);
  return rules;
}

export function contractOverResponses(endpoint: Endpoint, provider: Provider): ChatContract {
  return rulesOverResponses(endpoint, provider).contract;
}
