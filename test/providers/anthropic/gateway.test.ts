import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { anthropic } from '../../../src/providers/anthropic/index.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { demoModel } from '../../support/catalog.js';
import { signatureOf, thinkingBlock } from '../../support/fakes/fake-anthropic/answer.js';
import type { FakePlan } from '../../support/fakes/fake-anthropic/plan.js';
import { FAKE_API_KEY, startFakeAnthropic } from '../../support/fakes/fake-anthropic.js';
import { startGateway } from '../../support/gateway.js';

const MODEL = 'claude-sonnet-4-6';
const PROMPT = { model: 'anthropic/m', messages: [{ role: 'user', content: 'Hello there' }] };
const WEATHER = { type: 'function', function: { name: 'weather', parameters: {} } };

async function start(plan: FakePlan = {}) {
  const fake = await startFakeAnthropic();
  fake.plan(MODEL, plan);
  const http = createHttp();
  onTestFinished(() => http.close());
  const gateway = await startGateway({
    adapters: new Map([['anthropic', createAdapter(anthropic({ http }), systemClock)]]),
    catalog: {
      providers: [{ slug: 'anthropic', name: 'Anthropic', adapter: 'anthropic', base_url: fake.baseUrl }],
      models: [demoModel('anthropic/m', [{ provider: 'anthropic', upstream_model_id: MODEL }])],
    },
  });
  const post = (path: string, token: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${gateway.rest}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const chat = async (body: object) => {
    const answer = await post('/chat/completions', gateway.apiKey, body);
    expect(answer.status).toBe(200);
    return answer;
  };
  const storeKey = async (key = FAKE_API_KEY) => {
    const answer = await post('/byok', gateway.managementKey, { provider: 'anthropic', key });
    expect(answer.status).toBe(201);
  };
  return { fake, gateway, post, chat, storeKey };
}

async function chunksOf(answer: Response) {
  const events = (await answer.text()).split('\n\n').filter((event) => event.startsWith('data: '));
  expect(events.at(-1)).toBe('data: [DONE]');
  return events.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)));
}

describe('Anthropic behind the gateway', () => {
  it('is called with the BYOK key, the model’s name there, and nothing else of the client’s', async () => {
    const { fake, gateway, post, storeKey } = await start();
    await storeKey();
    const body = {
      ...PROMPT,
      provider: { sort: 'price' },
      models: ['anthropic/m'],
      temperature: 0.5,
      seed: 1,
    };
    const headers = {
      cookie: 'session=1',
      'x-client': 'yes',
      'anthropic-beta': 'all',
      'x-api-key': gateway.apiKey,
    };
    const answer = await post('/chat/completions', gateway.apiKey, body, headers);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      model: 'anthropic/m',
      provider: 'anthropic',
      choices: [
        {
          message: { role: 'assistant', content: 'Grüezi mitenand 👋🏽!' },
          finish_reason: 'stop',
          native_finish_reason: 'end_turn',
        },
      ],
      usage: { completion_tokens: 3, is_byok: true },
      system_fingerprint: null,
    });
    const [request] = fake.requests;
    expect(request?.body).toEqual({
      model: MODEL,
      max_tokens: 4096,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello there' }] }],
      temperature: 0.5,
    });
    expect(request?.headers['x-api-key']).toBe(FAKE_API_KEY);
    expect(JSON.stringify(request?.headers)).not.toMatch(/session=1|x-client|mine|bw-v1/);
    expect(request?.headers['anthropic-beta']).toBe('all');
    expect(gateway.log.join()).not.toContain(FAKE_API_KEY);
  });

  it('streams through it, tool calls and usage', async () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 20, cache_creation_input_tokens: 30 };
    const { chat, storeKey } = await start({ usage });
    await storeKey();
    const chunks = await chunksOf(await chat({ ...PROMPT, tools: [WEATHER], stream: true }));
    const calls = chunks.flatMap(({ choices }) => choices[0]?.delta?.tool_calls ?? []);
    expect(calls[0]).toMatchObject({ index: 0, id: 'toolu_fake1', type: 'function' });
    expect(calls.map((call) => call.function.arguments).join('')).toBe('{"city":"Zürich"}');
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ finish_reason: 'tool_calls' });
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 60, prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 } },
    });
  });

  it('keeps thoughts and their signatures over a turn with tools', async () => {
    const use = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} };
    const content = [thinkingBlock('Hm, well'), { type: 'redacted_thinking', data: 'xyz' }, use];
    const { fake, chat, storeKey } = await start({ content });
    await storeKey();
    const whole = JSON.parse(await (await chat({ ...PROMPT, tools: [WEATHER] })).text());
    const [{ message }] = whole.choices;
    expect(message).toMatchObject({ content: null, reasoning: 'Hm, well' });
    const chunks = await chunksOf(await chat({ ...PROMPT, tools: [WEATHER], stream: true }));
    const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta?.reasoning_details ?? []);
    fake.plan(MODEL, {});
    for (const reasoning_details of [message.reasoning_details, pieces]) {
      const result = { role: 'tool', tool_call_id: 'toolu_1', content: 'Sun' };
      const messages = [...PROMPT.messages, { ...message, reasoning_details }, result];
      await chat({ ...PROMPT, messages, tools: [WEATHER] });
      expect(fake.requests.at(-1)?.body.messages[1]?.content).toEqual([
        { type: 'thinking', thinking: 'Hm, well', signature: signatureOf('Hm, well') },
        { type: 'redacted_thinking', data: 'xyz' },
        use,
      ]);
    }
  });

  it('is named in the error when it refuses the key, without the key', async () => {
    const { gateway, post, storeKey } = await start();
    const wrong = 'sk-ant-wrong-0123456789abcdefghijklmnop';
    await storeKey(wrong);
    const answer = await post('/chat/completions', gateway.apiKey, PROMPT);
    const text = await answer.text();
    expect(answer.status).toBe(502);
    expect(JSON.parse(text).error.metadata.provider_responses).toMatchObject([
      { status: 401, is_byok: true },
    ]);
    expect(text + gateway.log.join()).not.toContain(wrong);
  });
});
