/** What is sent of chats by contracts, and the messages that the tests of it are made of. */
import { type ChatContract, LENIENT_CHAT } from '../../../src/catalog/chat-contract.js';
import type { ChatBody, ChatMessage } from '../../../src/formats/chat/types.js';
import type { Reasoning } from '../../../src/inference/reasoning/reasoning.js';
import { fitChat } from '../../../src/providers/fit/chat/fit-chat.js';
import { rulesOf } from '../../../src/providers/openai/chat/rules.js';
import { demoEndpoint } from '../../support/chat.js';
import { openAiProvider } from '../openai/adapter.fixture.js';

/** The chat as a host is sent it, and what was told of it. */
export function fitted(
  body: Partial<ChatBody>,
  contract: Partial<ChatContract>,
  { reasoning = null as Reasoning | null } = {},
) {
  const adapted: [string, string][] = [];
  const { call, names } = fitChat(
    {
      body: { model: 'm', messages: [{ role: 'user', content: 'Hello' }], ...body },
      reasoning,
      endpoint: demoEndpoint('m'),
      provider: openAiProvider(null),
      onAdapted: (name, how) => adapted.push([name, how]),
    },
    { ...LENIENT_CHAT, ...contract },
  );
  return { ...call, adapted, names };
}

export const contractAt = (slug: string, modelId = 'm') =>
  rulesOf({ ...demoEndpoint('m'), modelId }, { slug }, 'host').contract;

export const user = (content: ChatMessage['content'] = 'Hello'): ChatMessage => ({ role: 'user', content });
export const call = (id: string, name = 'look', args = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
export const calls = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => call(id)),
});
export const result = (id: string, content = `of ${id}`): ChatMessage => ({
  role: 'tool',
  tool_call_id: id,
  content,
});
export const tool = (name = 'look', parameters: object = { type: 'object', properties: {} }) => ({
  type: 'function',
  function: { name, parameters },
});
export const messagesOf = (...messages: ChatMessage[]) => ({ messages });
