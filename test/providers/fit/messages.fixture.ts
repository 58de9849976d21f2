/** What is sent of Messages requests to hosts of Claude, and the blocks that the tests of it are made of. */
import type { JsonObject } from '../../../src/formats/chat/types.js';
import {
  AT_ANTHROPIC,
  AT_PLATFORMS,
  messagesContract,
} from '../../../src/providers/anthropic/host/messages-contract.js';
import { fitMessages } from '../../../src/providers/fit-messages/fit-messages.js';

const HOSTS = { anthropic: AT_ANTHROPIC, platform: AT_PLATFORMS } as const;

interface Host {
  readonly at?: keyof typeof HOSTS;
  readonly model?: string;
  readonly betas?: readonly string[];
}

/** The request as a host is sent it, and what was told of it. */
export function fittedMessages(
  body: JsonObject,
  { at = 'anthropic', model = 'claude-haiku-4-5', betas = [] }: Host = {},
) {
  const adapted: [string, string][] = [];
  const given: JsonObject = { max_tokens: 8000, messages: [user('Hello')], ...body };
  const { call, names } = fitMessages(
    { body: given, betas, provider: { name: 'Claude' }, onAdapted: (name, how) => adapted.push([name, how]) },
    messagesContract({ upstreamModelId: model, modelId: model }, HOSTS[at]),
  );
  return { given, body: call.body, adapted, names };
}

export const user = (content: unknown) => ({ role: 'user', content });
export const assistant = (content: unknown) => ({ role: 'assistant', content });
export const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });
export const call = (id: string, name = 'look', input: unknown = {}) => ({
  type: 'tool_use',
  id,
  name,
  input,
});
export const result = (tool_use_id: string, content: unknown = `of ${tool_use_id}`) => ({
  type: 'tool_result',
  tool_use_id,
  content,
});
export const tool = (name = 'look', more: object = {}) => ({
  name,
  input_schema: { type: 'object', properties: {} },
  ...more,
});
export const tools = [tool()];
