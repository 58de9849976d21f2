import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { ChatBody } from '../../../src/formats/chat/types.js';
import { normalizedOf } from '../../../src/inference/ports/adapter.js';
import { FAKE_API_KEY, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { callTo, eventsOf, startAdapter, startTable, textIn } from './adapter.fixture.js';

const messages = [{ role: 'user' as const, content: 'Hello there' }];
const tools = [
  {
    type: 'function' as const,
    function: { name: 'weather', parameters: { type: 'object', properties: {} } },
  },
];

function client(baseURL: string, apiKey = FAKE_API_KEY): OpenAI {
  return new OpenAI({ baseURL, apiKey, maxRetries: 0 });
}

describe('the fake is an OpenAI for the official client', () => {
  it('answers in one piece', async () => {
    const fake = await startFakeOpenAi();
    const answer = await client(fake.baseUrl).chat.completions.create({ model: 'm', messages });
    expect(answer.choices[0]?.message.content).toBe('Grüezi mitenand 👋🏽!');
    expect(answer.usage?.completion_tokens).toBe(4);
    expect(answer._request_id).toBe('req_fake');
  });

  it('streams, with the usage only on request', async () => {
    const fake = await startFakeOpenAi();
    const ask = async (include_usage: boolean) => {
      const stream = await client(fake.baseUrl).chat.completions.create({
        model: 'm',
        messages,
        stream: true,
        stream_options: { include_usage },
      });
      const chunks = [];
      for await (const chunk of stream) chunks.push(chunk);
      return chunks;
    };
    const metered = await ask(true);
    expect(metered.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
      'Grüezi mitenand 👋🏽!',
    );
    expect(metered.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 4 } });
    expect((await ask(false)).some(({ usage }) => usage != null)).toBe(false);
  });

  it('calls tools, as its accumulating helper puts them together', async () => {
    const fake = await startFakeOpenAi();
    const stream = client(fake.baseUrl).chat.completions.stream({ model: 'm', messages, tools });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        tool_calls: [{ id: 'call_fake1', function: { name: 'weather', arguments: '{"city":"Zürich"}' } }],
      },
    });
  });

  it.each([
    ['a wrong key', { apiKey: 'sk-wrong' }, {}, OpenAI.AuthenticationError, 'invalid_api_key'],
    ['a model that is not there', {}, { model: 'no-such-model' }, OpenAI.NotFoundError, 'model_not_found'],
    ['an argument that nobody knows', {}, { provider: {} }, OpenAI.BadRequestError, null],
    ['options of a stream without one', {}, { stream_options: {} }, OpenAI.BadRequestError, null],
  ])('refuses %s', async (_, { apiKey = FAKE_API_KEY }: { apiKey?: string }, more, kind, code) => {
    const fake = await startFakeOpenAi();
    const pending = client(fake.baseUrl, apiKey).chat.completions.create({ model: 'm', messages, ...more });
    const error = await pending.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ code });
  });
});

describe('the adapter sends what the official client sends', () => {
  const bodies: [string, Partial<ChatBody>][] = [
    ['no options', {}],
    ['tools', { tools, tool_choice: 'auto', parallel_tool_calls: false }],
    [
      'sampling',
      { temperature: 0.2, top_p: 0.9, seed: 7, stop: ['a', 'b'], n: 2, user: 'u', logprobs: true },
    ],
    ['a limit', { max_completion_tokens: 2 }],
    ['a form', { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } } }],
    [
      'images',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }] },
    ],
  ];

  it.each(bodies)('in one piece, with %s', async (_, body) => {
    const { fake, complete } = await startTable();
    await complete({ body });
    const more: object = body;
    await client(fake.baseUrl).chat.completions.create({ model: 'm', messages, ...more });
    const [ours, theirs] = fake.requests;
    expect(ours?.body).toEqual(theirs?.body);
    expect(ours?.path).toBe(theirs?.path);
    expect(ours?.headers.authorization).toBe(theirs?.headers.authorization);
  });

  it.each(bodies)('streamed, with %s', async (_, body) => {
    const { fake, stream } = await startTable();
    expect((await stream({ body })).thrown).toBeUndefined();
    const more: object = body;
    const theirStream = await client(fake.baseUrl).chat.completions.create({
      model: 'm',
      messages,
      ...more,
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: false },
    });
    for await (const _ of theirStream);
    const [ours, theirs] = fake.requests;
    expect(ours?.body).toEqual(theirs?.body);
  });

  it('and reads the same out of the answer, in one piece and streamed', async () => {
    const fake = await startFakeOpenAi();
    fake.plan('thinker', { reasoning: ['Hm,', ' well'], words: ['Yes', ' indeed'] });
    const adapter = startAdapter();
    for (const more of [{}, { max_tokens: 1 }, { tools }]) {
      const call = callTo(fake.baseUrl, 'thinker', { body: more });
      const whole = normalizedOf(await adapter.complete(call));
      const { events } = await eventsOf(adapter.stream(call));
      const [choice] = whole.choices;
      expect(textIn(events)).toBe(choice?.message.content ?? '');
      expect(textIn(events, 'reasoning')).toBe(choice?.message.reasoning ?? '');
      expect(events.find(({ type }) => type === 'finish')).toMatchObject({ reason: choice?.finish_reason });
      expect(events.findLast(({ type }) => type === 'usage')).toEqual({ type: 'usage', usage: whole.usage });
      expect(events).toContainEqual({ type: 'fingerprint', fingerprint: whole.systemFingerprint });
    }
  });
});
