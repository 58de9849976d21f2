import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { openAi } from '../../../src/providers/openai/index.js';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { startGateway } from '../../support/gateway.js';

const PROMPT = { model: 'openai/m', messages: [{ role: 'user', content: 'Hello there' }] };

async function start() {
  const fake = await startFakeOpenAi();
  const http = createHttp();
  onTestFinished(() => http.close());
  const gateway = await startGateway({
    adapters: new Map([
      ['openai', createAdapter(openAi({ http, inlineMedia: async (body) => body }), systemClock)],
    ]),
    catalog: {
      providers: [{ slug: 'openai', name: 'OpenAI', adapter: 'openai', base_url: fake.baseUrl }],
      models: [
        demoModel('openai/m', [{ provider: 'openai', upstream_model_id: 'gpt-m' }], {
          reasoning: { mandatory: false },
        }),
      ],
    },
  });
  const post = (path: string, token: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${gateway.rest}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return { fake, gateway, post };
}

describe('an OpenAI-compatible provider behind the gateway', () => {
  it('is called with the BYOK key, the model’s name there, and nothing else of the client’s', async () => {
    const { fake, gateway, post } = await start();
    const byok = await post('/byok', gateway.managementKey, { provider: 'openai', key: FAKE_API_KEY });
    expect(byok.status).toBe(201);
    const more = {
      provider: { sort: 'price' },
      models: ['openai/m'],
      temperature: 0.5,
      reasoning: { effort: 'low' },
    };
    const headers = { cookie: 'session=1', 'x-client': 'yes', 'openai-organization': 'org' };
    const answer = await post('/chat/completions', gateway.apiKey, { ...PROMPT, ...more }, headers);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      model: 'openai/m',
      provider: 'openai',
      choices: [{ message: { content: 'Grüezi mitenand 👋🏽!' }, finish_reason: 'stop' }],
      usage: { completion_tokens: 4, is_byok: true },
      system_fingerprint: 'fp_fake',
    });
    const [request] = fake.requests;
    expect(request?.body).toEqual({
      model: 'gpt-m',
      messages: PROMPT.messages,
      temperature: 0.5,
      reasoning_effort: 'low',
    });
    expect(JSON.stringify(request?.headers)).not.toMatch(/session=1|x-client|openai-organization|bw-v1/);
    expect(gateway.log.join()).not.toContain(FAKE_API_KEY);
  });

  it('streams through it, tool calls and all', async () => {
    const { gateway, post } = await start();
    await post('/byok', gateway.managementKey, { provider: 'openai', key: FAKE_API_KEY });
    const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }];
    const answer = await post('/chat/completions', gateway.apiKey, { ...PROMPT, tools, stream: true });
    const events = (await answer.text()).split('\n\n').filter((event) => event.startsWith('data: '));
    expect(events.at(-1)).toBe('data: [DONE]');
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)));
    const calls = chunks.flatMap(({ choices }) => choices[0]?.delta?.tool_calls ?? []);
    expect(calls[0]).toMatchObject({ index: 0, id: 'call_fake1', type: 'function' });
    expect(calls.map((call) => call.function.arguments).join('')).toBe('{"city":"Zürich"}');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { is_byok: true } });
  });

  it('is named in the error when it refuses the key, without the key', async () => {
    const { gateway, post } = await start();
    const wrong = 'sk-wrong-0123456789abcdefghijklmnop';
    await post('/byok', gateway.managementKey, { provider: 'openai', key: wrong });
    const answer = await post('/chat/completions', gateway.apiKey, PROMPT);
    const text = await answer.text();
    expect(answer.status).toBe(502);
    expect(JSON.parse(text).error.metadata.provider_responses).toMatchObject([
      { status: 401, is_byok: true },
    ]);
    expect(text + gateway.log.join()).not.toContain(wrong);
  });
});
