import { describe, expect, it } from 'vitest';
import type { ChatBody, ChatMessage, JsonObject } from '../../../src/formats/chat/types.js';
import { elements, members } from '../../../src/formats/json.js';
import { signatureOf } from '../../support/fakes/fake-anthropic/answer.js';
import { CLAUDE, LLAMA, startTable } from './adapter.fixture.js';

const NOVA = 'amazon.nova-pro-v1:0';
const MISTRAL = 'mistral.pixtral-large-2502-v1:0';

/** What Converse was sent of a chat, and what was told of it. */
async function sent(model: string, body: Partial<ChatBody>) {
  const table = await startTable();
  const adapted: Record<string, string> = {};
  const onAdapted = (name: string, how: string) => {
    adapted[name] = how;
  };
  await table.adapter.complete({ ...table.call({ model, body }), onAdapted });
  return { request: members(table.fake.requests.at(-1)?.body), adapted };
}

const user: ChatMessage = { role: 'user', content: 'Hello' };
const tool = (parameters: object, name = 'look') => ({ type: 'function', function: { name, parameters } });
const specsIn = ({ toolConfig }: JsonObject) =>
  elements(members(toolConfig).tools).map((one) => members(members(one).toolSpec));

describe('what single models refuse over Converse is made to fit', () => {
  const City = { type: 'object', properties: { name: { type: 'string' } } };
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { city: { $ref: '#/$defs/City', description: 'Where' } },
    required: ['city'],
    additionalProperties: false,
    $defs: { City },
  };

  it('Nova gets the words that it knows at the root of a schema, with definitions in their places', async () => {
    const { request, adapted } = await sent(NOVA, { tools: [tool(schema)] });
    const [spec] = specsIn(request);
    expect(spec).toEqual({
      name: 'look',
      inputSchema: {
        json: { type: 'object', properties: { city: { ...City, description: 'Where' } }, required: ['city'] },
      },
    });
    expect(adapted).toEqual({ 'tools[0].function.parameters': 'changed' });
  });

  it('what its words can’t say is told in the description', async () => {
    const tree = {
      type: 'object',
      properties: { root: { $ref: '#/$defs/Node' } },
      $defs: { Node: { type: 'object', properties: { left: { $ref: '#/$defs/Node' } } } },
    };
    const { request } = await sent(NOVA, { tools: [tool(tree)] });
    const [spec] = specsIn(request);
    expect(spec?.description).toContain(JSON.stringify(tree));
    expect(JSON.stringify(spec?.inputSchema)).not.toContain('$ref');
  });

  it('definitions that name each other many times end', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `D${at}`);
    const two = (at: number) => ({ a: { $ref: `#/$defs/D${at}` }, b: { $ref: `#/$defs/D${at}` } });
    const $defs = Object.fromEntries(
      names.map((name, at) => [name, { type: 'object', properties: two((at + 1) % names.length) }]),
    );
    const { request } = await sent(NOVA, { tools: [tool({ type: 'object', properties: two(0), $defs })] });
    expect(JSON.stringify(specsIn(request)[0]?.inputSchema).length).toBeLessThan(200_000);
  });

  it('Nova gets one text of the system', async () => {
    const { request } = await sent(NOVA, {
      messages: [{ role: 'system', content: 'One' }, { role: 'system', content: 'Two' }, user],
      response_format: { type: 'json_object' },
    });
    expect(request.system).toEqual([{ text: expect.stringMatching(/^One\n\nTwo\n\nAnswer with one JSON/) }]);
  });

  it.each([
    [0, undefined, 'left_out'],
    [400, 128, 'changed'],
  ])('top_k %s of Nova is %s', async (top_k, topK, how) => {
    const { request, adapted } = await sent(NOVA, { top_k });
    const { inferenceConfig } = members(request.additionalModelRequestFields);
    expect(members(inferenceConfig).topK).toBe(topK);
    expect(adapted).toEqual({ top_k: how });
  });

  it('Llama has no field of its own', async () => {
    const { request, adapted } = await sent(LLAMA, { top_k: 5 });
    expect(request).not.toHaveProperty('additionalModelRequestFields');
    expect(adapted).toEqual({ top_k: 'left_out' });
  });

  it.each([LLAMA, MISTRAL, NOVA])('a temperature above 1 is 1, at %s', async (model) => {
    const { request, adapted } = await sent(model, { temperature: 1.7 });
    expect(request.inferenceConfig).toEqual({ temperature: 1 });
    expect(adapted).toEqual({ temperature: 'changed' });
  });

  it.each([
    ['required'],
    [{ type: 'function', function: { name: 'look' } }],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'look' } }] },
      },
    ],
  ])('no call is forced at Llama, which is told: %j', async (tool_choice) => {
    const { request, adapted } = await sent(LLAMA, { tools: [tool(City)], tool_choice });
    expect(request.toolConfig).not.toHaveProperty('toolChoice');
    expect(adapted).toEqual({ tool_choice: 'changed' });
  });

  it.each([LLAMA, MISTRAL])('images of results stand in the turn of the user, at %s', async (model) => {
    const url = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==';
    const { request } = await sent(model, {
      tools: [tool(City)],
      messages: [
        user,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'image_url', image_url: { url } }] },
      ],
    });
    const [results, , last] = elements(request.messages).slice(-3);
    expect(JSON.stringify(results)).toContain('toolResult');
    expect(JSON.stringify(results)).not.toContain('"image"');
    expect(JSON.stringify(last)).toContain('"image"');
  });

  it.each([LLAMA, MISTRAL])('a turn is of words, of calls or of results, at %s', async (model) => {
    const tool_calls = [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }];
    const { request, adapted } = await sent(model, {
      tools: [tool(City)],
      messages: [
        user,
        { role: 'assistant', content: 'Let me look.', tool_calls },
        { role: 'tool', tool_call_id: 'a', content: 'Snow' },
        { role: 'user', content: 'And now?' },
      ],
    });
    const kinds = elements(request.messages).map((turn) => {
      const { role, content } = members(turn);
      return [role, ...elements(content).map((block) => Object.keys(members(block)).join())];
    });
    expect(kinds).toEqual([
      ['user', 'text'],
      ['assistant', 'text'],
      ['user', 'text'],
      ['assistant', 'toolUse'],
      ['user', 'toolResult'],
      ['assistant', 'text'],
      ['user', 'text'],
    ]);
    expect(JSON.stringify(request.messages)).toContain('Let me look.');
    expect(adapted).toEqual({ messages: 'changed' });
  });

  it('names of tools are of letters, digits and _ at Nova, whose calls have the given names again', async () => {
    const table = await startTable();
    const names = ['fetch-fetch', 'fetch_fetch', '_last'];
    const body = { tools: names.map((name) => tool(City, name)), tool_choice: 'auto' };
    await table.adapter.complete(table.call({ model: NOVA, body }));
    const request = members(table.fake.requests.at(-1)?.body);
    const given = specsIn(request).map(({ name }) => String(name));
    expect(given.every((name) => /^[a-zA-Z][a-zA-Z0-9_]*$/.test(name))).toBe(true);
    expect(new Set(given).size).toBe(3);
  });

  it('what the assistant refused with is what it said', async () => {
    const refused = { role: 'assistant', content: null, refusal: 'I can’t.' };
    const { request } = await sent(LLAMA, { messages: [user, refused, user] });
    expect(elements(request.messages)[1]).toEqual({ role: 'assistant', content: [{ text: 'I can’t.' }] });
  });
});

it('a thought that a mark of the gateway’s stands at is no thought that Claude has signed', async () => {
  const reasoning_details = [{ type: 'reasoning.text', text: 'Hm', signature: 'bw1.W10' }];
  const thought = { role: 'assistant', content: 'Yes', reasoning_details };
  const { request } = await sent(CLAUDE, { messages: [user, thought, user] });
  expect(elements(request.messages)[1]).toEqual({ role: 'assistant', content: [{ text: 'Yes' }] });
});

describe('an answer that Claude is to continue over Converse', () => {
  const signed = (text: string) => ({
    reasoning_details: [
      { type: 'reasoning.text', format: 'anthropic-claude-v1', text, signature: signatureOf(text), index: 0 },
    ],
  });
  const turnsIn = ({ messages }: JsonObject) => elements(messages).map((turn) => members(turn).content);

  it('does not end with a thought', async () => {
    const { request } = await sent(CLAUDE, {
      messages: [user, { role: 'assistant', content: '', ...signed('Hm') }],
      reasoning: { max_tokens: 2000 },
    } as Partial<ChatBody>);
    expect(turnsIn(request)).toEqual([[{ text: 'Hello' }]]);
  });

  it('has no thoughts while the model does not think', async () => {
    const { request } = await sent(CLAUDE, {
      messages: [user, { role: 'assistant', content: 'Well ', ...signed('Hm') }],
    });
    expect(turnsIn(request)).toEqual([[{ text: 'Hello' }], [{ text: 'Well' }]]);
  });
});

describe('cache points over Converse', () => {
  const marked = (text: string, ttl?: string): ChatMessage => ({
    role: 'user',
    content: [{ type: 'text', text, cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } }],
  });
  const said: ChatMessage = { role: 'assistant', content: 'Yes' };
  const pointsIn = ({ messages }: JsonObject) =>
    elements(messages).flatMap((turn) =>
      elements(members(turn).content).flatMap((block) => members(block).cachePoint ?? []),
    );

  it('are at most four: the first one and the last three', async () => {
    const messages = ['a', 'b', 'c', 'd', 'e'].flatMap((text) => [marked(text), said]).slice(0, -1);
    const { request, adapted } = await sent(CLAUDE, { messages });
    const has = elements(request.messages).map((turn) => JSON.stringify(turn).includes('cachePoint'));
    expect(has).toEqual([true, false, false, false, true, false, true, false, true]);
    expect(adapted).toEqual({ cache_control: 'changed' });
  });

  it('last no longer than the one before', async () => {
    const { request, adapted } = await sent(CLAUDE, {
      messages: [marked('a', '1h'), said, marked('b'), said, marked('c', '1h')],
    });
    expect(pointsIn(request)).toEqual([
      { type: 'default', ttl: '1h' },
      { type: 'default' },
      { type: 'default' },
    ]);
    expect(adapted).toEqual({ cache_control: 'changed' });
  });

  it('last five minutes at Nova', async () => {
    const { request, adapted } = await sent(NOVA, { messages: [marked('a', '1h')] });
    expect(pointsIn(request)).toEqual([{ type: 'default' }]);
    expect(adapted).toEqual({ cache_control: 'changed' });
  });

  it('stand after words, never after a thought', async () => {
    const reasoning_details = [
      { type: 'reasoning.text', text: 'Hm', signature: signatureOf('Hm'), id: 'thought_0_3_0', index: 0 },
    ];
    const detailed = reasoning_details.map((one) => ({ ...one, format: 'anthropic-claude-v1' }));
    const cached = { cache_control: { type: 'ephemeral' } };
    const { request } = await sent(CLAUDE, {
      messages: [
        user,
        { ...said, reasoning_details: detailed, ...cached },
        user,
        { role: 'assistant', content: '', reasoning_details: detailed, ...cached },
        user,
      ],
    });
    const kinds = elements(request.messages).map((turn) =>
      elements(members(turn).content).map((block) => Object.keys(members(block)).join()),
    );
    expect(kinds[1]).toEqual(['text', 'cachePoint', 'reasoningContent']);
    expect(kinds[3] ?? []).not.toContain('cachePoint');
  });

  it('are sent as they came where they fit', async () => {
    const { request, adapted } = await sent(CLAUDE, {
      messages: [marked('a', '1h'), said, marked('b', '1h')],
    });
    expect(pointsIn(request)).toHaveLength(2);
    expect(adapted).toEqual({});
  });
});
