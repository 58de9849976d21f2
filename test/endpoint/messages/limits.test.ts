import { describe, expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { startGateway } from '../../support/gateway.js';
import { caller } from '../../support/rest.js';

/** A model of OpenAI's with these members, and what it was asked last. */
async function start(model: object, endpoint: object = {}) {
  const openai = await startFakeOpenAi();
  const gateway = await startGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [{ slug: 'openai', name: 'OpenAI', adapter: 'openai', base_url: openai.baseUrl }],
      models: [
        demoModel('openai/gpt', [{ provider: 'openai', upstream_model_id: 'gpt', ...endpoint }], model),
      ],
    },
  });
  await caller(gateway, gateway.managementKey)('POST', '/byok', { provider: 'openai', key: FAKE_API_KEY });
  const use = caller(gateway, gateway.apiKey);
  const ask = async (more: object, path = '/messages') => {
    const messages = [{ role: 'user', content: 'Hello there' }];
    const body = { model: 'openai/gpt', max_tokens: 100, messages, ...more };
    return { status: (await use('POST', path, body)).status, sent: openai.requests.at(-1)?.body };
  };
  return { ask };
}

describe('a request made for a model of Anthropic’s', () => {
  it('asks any other for an answer of at most what its endpoint takes, which excludes it for a chat', async () => {
    const { ask } = await start({ context_length: 200_000 }, { max_completion_tokens: 16_384 });
    expect(await ask({ max_tokens: 128_000 })).toMatchObject({
      status: 200,
      sent: { max_completion_tokens: 16_384 },
    });
    expect(await ask({ max_tokens: 8_000 })).toMatchObject({
      status: 200,
      sent: { max_completion_tokens: 8_000 },
    });
    expect((await ask({ max_tokens: 128_000 }, '/chat/completions')).status).toBe(404);
  });

  it('asks for what its context leaves beside the prompt', async () => {
    const { ask } = await start({ context_length: 32_000 });
    const content = 'word '.repeat(10_000);
    const { status, sent } = await ask({ max_tokens: 32_000, messages: [{ role: 'user', content }] });
    expect(status).toBe(200);
    expect(sent?.max_completion_tokens).toBeGreaterThan(10_000);
    expect(sent?.max_completion_tokens).toBeLessThan(32_000 - 12_500);
  });

  it('that switches thinking off gets the least of a model that always thinks; a chat is refused', async () => {
    const { ask } = await start({ reasoning: { mandatory: true, supported_efforts: ['high', 'low'] } });
    const { status, sent } = await ask({ thinking: { type: 'disabled' } });
    expect([status, sent?.reasoning_effort]).toEqual([200, 'low']);
    expect((await ask({ reasoning: { enabled: false } }, '/chat/completions')).status).toBe(400);
  });
});
