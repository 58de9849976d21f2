import { describe, expect, it } from 'vitest';
import type { ChatBody, ChatMessage, JsonObject } from '../../../src/formats/chat/types.js';
import { members } from '../../../src/formats/json.js';
import { startTable } from './adapter.fixture.js';

const GEMINI_3 = 'gemini-3-pro-preview';

/** What Google was sent of a chat, and what was told of it. */
async function sent(body: Partial<ChatBody>, model?: string) {
  const table = await startTable({}, model);
  const adapted: Record<string, string> = {};
  const onAdapted = (name: string, how: string) => {
    adapted[name] = how;
  };
  await table.adapter.complete({ ...table.call({ body }), onAdapted });
  const request = members(table.fake.requests.at(-1)?.body);
  return { request, config: members(request.generationConfig), adapted };
}

const user: ChatMessage = { role: 'user', content: 'Hello' };
const tool = (parameters: object, name = 'look') => ({ type: 'function', function: { name, parameters } });
const parametersIn = ({ tools }: JsonObject) =>
  (tools as { functionDeclarations: { parametersJsonSchema: object }[] }[])[0]?.functionDeclarations.map(
    ({ parametersJsonSchema }) => parametersJsonSchema,
  );

describe('what Gemini refuses of a chat is made to fit', () => {
  it.each([
    [{ tools: [tool({}), { type: 'google_search', google_search: {} }] }, 'tools[1]'],
    [{ tools: [tool({})], web_search_options: {} }, 'web_search_options'],
  ])('functions beside a search are refused by name before 3, and sent since: %j', async (body, member) => {
    await expect(sent(body)).rejects.toMatchObject({
      kind: 'invalid_request',
      providerParam: member,
    });
    const { request } = await sent(body, GEMINI_3);
    expect(request.tools).toHaveLength(2);
  });

  it('penalties are left out since 2.5, log probabilities since 3, and told unless they ask for nothing', async () => {
    const body = { frequency_penalty: 0, presence_penalty: 1, logprobs: true, top_logprobs: 2 };
    const early = await sent(body);
    expect(early.config).toEqual({ responseLogprobs: true, logprobs: 2 });
    expect(early.adapted).toEqual({ presence_penalty: 'left_out' });
    const late = await sent(body, GEMINI_3);
    expect(late.config).toEqual({});
    expect(late.adapted).toEqual({
      presence_penalty: 'left_out',
      logprobs: 'left_out',
      top_logprobs: 'left_out',
    });
  });

  it('how many log probabilities there are is only said where they are asked for', async () => {
    const { config, adapted } = await sent({ top_logprobs: 2 });
    expect(config).toEqual({});
    expect(adapted).toEqual({ top_logprobs: 'left_out' });
  });

  it('a chat that ends with the model goes on with a request to continue', async () => {
    const { request, adapted } = await sent({ messages: [user, { role: 'assistant', content: 'On' }] });
    const roles = (request.contents as { role: string }[]).map(({ role }) => role);
    expect(roles).toEqual(['user', 'model', 'user']);
    expect(adapted).toEqual({ messages: 'changed' });
  });

  it('nor does one end with the model where the system speaks last', async () => {
    const messages = [user, { role: 'assistant', content: 'On' }, { role: 'system', content: 'In German.' }];
    const { request } = await sent({ messages });
    const roles = (request.contents as { role: string }[]).map(({ role }) => role);
    expect(roles).toEqual(['user', 'model', 'user']);
  });

  it('a chat without a word of the user begins with one, and one of nothing says as little', async () => {
    const contentsOf = async (...messages: ChatMessage[]) => (await sent({ messages })).request.contents;
    const begun = await contentsOf({ role: 'user', content: '' }, { role: 'assistant', content: 'Hi' }, user);
    expect(begun).toMatchObject([{ role: 'user', parts: [{ text: '.' }] }, { role: 'model' }, {}]);
    expect(await contentsOf({ role: 'user', content: '' })).toEqual([
      { role: 'user', parts: [{ text: '.' }] },
    ]);
  });

  it('the first call of a turn is signed, also where another one brought the only signature', async () => {
    const called = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } });
    const answered = (tool_call_id: string): ChatMessage => ({ role: 'tool', tool_call_id, content: 'Snow' });
    const signature = { type: 'reasoning.encrypted', data: 'c2ln', id: 'b', format: 'google-gemini-v1' };
    const calling = {
      role: 'assistant',
      content: null,
      tool_calls: [called('a'), called('b')],
      reasoning_details: [signature],
    };
    const { request } = await sent({ messages: [user, calling, answered('a'), answered('b')] }, GEMINI_3);
    expect(request.contents).toMatchObject([
      {},
      { parts: [{ thoughtSignature: 'skip_thought_signature_validator' }, { thoughtSignature: 'c2ln' }] },
      {},
    ]);
  });

  it('what the assistant refused with is what it said', async () => {
    const refused = { role: 'assistant', content: null, refusal: 'I can’t.' };
    const { request } = await sent({ messages: [user, refused, user] });
    expect(request.contents).toMatchObject([{}, { role: 'model', parts: [{ text: 'I can’t.' }] }, {}]);
  });

  it('references stand beside no other words, and none at a root', async () => {
    const $defs = { City: { type: 'object', properties: { name: { type: 'string' } } } };
    const described = { $ref: '#/$defs/City', description: 'Where' };
    const { request } = await sent({
      tools: [
        tool({
          type: 'object',
          properties: { city: described, all: { type: 'array', items: described } },
          $defs,
        }),
        tool({ $ref: '#/$defs/City', $defs }, 'at'),
      ],
    });
    const alone = { description: 'Where', anyOf: [{ $ref: '#/$defs/City' }] };
    expect(parametersIn(request)).toEqual([
      { type: 'object', properties: { city: alone, all: { type: 'array', items: alone } }, $defs },
      { type: 'object', properties: { name: { type: 'string' } }, $defs },
    ]);
  });

  it('nor in the schema of an answer', async () => {
    const schema = {
      type: 'object',
      properties: { city: { $ref: '#/$defs/City', description: 'Where' } },
      $defs: { City: { type: 'string' } },
    };
    const response_format = { type: 'json_schema', json_schema: { name: 'a', schema } };
    const { config } = await sent({ response_format });
    expect(config.responseJsonSchema).toMatchObject({
      properties: { city: { description: 'Where', anyOf: [{ $ref: '#/$defs/City' }] } },
    });
  });

  it('a choice of a function that is not there leaves it to the model', async () => {
    const tool_choice = { type: 'function', function: { name: 'gone' } };
    const { request, adapted } = await sent({ tools: [tool({ type: 'object' })], tool_choice });
    expect(request.toolConfig).toEqual({ functionCallingConfig: { mode: 'AUTO' } });
    expect(adapted).toEqual({ tool_choice: 'changed' });
  });

  it('a seed of more than 32 bits is told as its lower bits, the same each time', async () => {
    const { config, adapted } = await sent({ seed: 2 ** 32 + 7 });
    expect(config).toEqual({ seed: 7 });
    expect(adapted).toEqual({ seed: 'changed' });
  });

  it('stop sequences without a character are left out', async () => {
    const { config, adapted } = await sent({ stop: ['', 'END'] });
    expect(config).toEqual({ stopSequences: ['END'] });
    expect(adapted).toEqual({ stop: 'changed' });
  });

  it('names of tools that only others take are changed, and restored in the answer', async () => {
    const name = '2/github:create issue';
    const table = await startTable();
    const { choices } = await table.complete({ body: { tools: [tool({ type: 'object' }, name)] } });
    expect(JSON.stringify(table.fake.requests.at(-1)?.body)).toContain('"name":"_2_github_create_issue"');
    expect(choices[0]?.message.tool_calls?.[0]?.function?.name).toBe(name);
  });
});

describe('what Gemini takes less of than is asked for', () => {
  it('is sent as far as it goes, and the rest is told', async () => {
    const stop = ['1', '2', '3', '4', '5', '6'];
    const { config, adapted } = await sent({ stop, n: 9 });
    expect(config).toEqual({ stopSequences: stop.slice(0, 5), candidateCount: 8 });
    expect(adapted).toEqual({ 'stop[5]': 'left_out', n: 'changed' });
  });
});
