/** What is sent of Responses requests to hosts, and the items that the tests of it are made of. */
import type { JsonObject } from '../../../src/formats/chat/types.js';
import { fitResponses } from '../../../src/providers/fit-responses/fit-responses.js';
import { AT_AZURE, AT_OPENAI, responsesContract } from '../../../src/providers/openai/responses/contract.js';
import { DEMO, demoEndpoint } from '../../support/chat.js';

interface Host {
  /** The slug of the provider. */
  readonly at?: string;
  readonly model?: string;
}

/** The request as a host is sent it, and what was told of it. */
export function fittedResponses(body: JsonObject, { at = 'openai', model = 'gpt-4.1' }: Host = {}) {
  const adapted: [string, string][] = [];
  const endpoint = { ...demoEndpoint(model), modelId: `x/${model}`, upstreamModelId: model, provider: at };
  const provider = {
    ...DEMO,
    slug: at,
    name: 'Host',
    adapter: 'openai',
    baseUrl: 'https://host/v1',
  } as const;
  const given: JsonObject = { input: 'Hi', ...body };
  const { call, names } = fitResponses(
    { body: given, endpoint, provider, onAdapted: (name, how) => adapted.push([name, how]) },
    responsesContract(endpoint, provider, at === 'azure' ? AT_AZURE : AT_OPENAI),
  );
  return { given, body: call.body, input: call.body.input as readonly JsonObject[], adapted, names };
}

export const user = (content: unknown) => ({ type: 'message', role: 'user', content });
export const assistant = (content: unknown, more: object = {}) => ({
  type: 'message',
  role: 'assistant',
  content,
  ...more,
});
export const text = (words: string) => ({ type: 'input_text', text: words });
export const call = (call_id = 'call_1', more: object = {}) => ({
  type: 'function_call',
  call_id,
  name: 'look',
  arguments: '{}',
  ...more,
});
export const output = (call_id = 'call_1', more: object = {}) => ({
  type: 'function_call_output',
  call_id,
  output: `of ${call_id}`,
  ...more,
});
export const reasoning = (id = 'rs_1', more: object = {}) => ({
  type: 'reasoning',
  id,
  summary: [],
  encrypted_content: 'gAAA',
  ...more,
});
export const tool = (name = 'look', more: object = {}) => ({
  type: 'function',
  name,
  parameters: { type: 'object', properties: {} },
  ...more,
});
