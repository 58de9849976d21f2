import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { FAKE_API_KEY, startFakeOpenAi } from '../../../support/fakes/fake-openai.js';
import { startResponses } from './native.fixture.js';

const model = 'gpt-4.1';
const store = false;
const tools = [
  {
    type: 'function' as const,
    name: 'weather',
    parameters: { type: 'object', properties: {} },
    strict: false,
  },
];

function client(baseURL: string): OpenAI {
  return new OpenAI({ baseURL, apiKey: FAKE_API_KEY, maxRetries: 0 });
}

describe('the fake is an OpenAI for the official client', () => {
  it('answers in one piece', async () => {
    const { baseUrl } = await startFakeOpenAi();
    const answer = await client(baseUrl).responses.create({ model, store, input: 'Hi' });
    expect(answer.output_text).toBe('Grüezi mitenand 👋🏽!');
    expect(answer.usage?.output_tokens).toBe(4);
  });

  it('streams what its accumulating helper puts together', async () => {
    const fake = await startFakeOpenAi();
    fake.plan(model, {
      reasoning: ['Hm'],
      words: ['Grüezi'],
      calls: [{ id: 'call_1', name: 'weather', input: {} }],
    });
    const stream = client(fake.baseUrl).responses.stream({ model, store, input: 'Hi', tools });
    const { output, status } = await stream.finalResponse();
    expect(status).toBe('completed');
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call']);
  });

  it('counts prompts', async () => {
    const { baseUrl } = await startFakeOpenAi();
    expect(await client(baseUrl).responses.inputTokens.count({ model, input: 'Hi' })).toEqual({
      object: 'response.input_tokens',
      input_tokens: 4711,
    });
  });

  it('refuses in the error class of the client, with its parameter', async () => {
    const { baseUrl } = await startFakeOpenAi();
    const input = [{ type: 'function_call_output' as const, call_id: 'call_1', output: 'Sun' }];
    await expect(client(baseUrl).responses.create({ model, store, input })).rejects.toThrow(
      'No tool call found for function call output with call_id call_1.',
    );
  });
});

describe('the adapter', () => {
  it('sends what the client sends', async () => {
    const { fake, complete } = await startResponses();
    const body = { input: [{ role: 'user', content: 'Hi' }], tools, temperature: 0.5 };
    await complete({ body });
    await client(fake.baseUrl).responses.create({ ...body, model, store } as never);
    const [own, theirs] = fake.requests;
    expect(own?.body).toEqual(theirs?.body);
    expect([own?.method, own?.path]).toEqual([theirs?.method, theirs?.path]);
    expect(own?.headers.authorization).toBe(theirs?.headers.authorization);
  });
});
