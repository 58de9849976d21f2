import { describe, expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY, startFakeAnthropic } from '../../support/fakes/fake-anthropic.js';
import { startGateway } from '../../support/gateway.js';
import { bodyOf, caller } from '../../support/rest.js';

const UPSTREAM = 'claude-sonnet-4-6';

describe('an endpoint at Anthropic whose `formats` name chats alone', () => {
  async function start() {
    const fake = await startFakeAnthropic();
    const gateway = await startGateway({
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
      catalog: {
        providers: [{ slug: 'claude', name: 'Claude', adapter: 'anthropic', base_url: fake.baseUrl }],
        models: [
          demoModel('claude/m', [{ provider: 'claude', upstream_model_id: UPSTREAM, formats: ['chat'] }]),
        ],
      },
    });
    const manage = caller(gateway, gateway.managementKey);
    expect((await manage('POST', '/byok', { provider: 'claude', key: FAKE_API_KEY })).status).toBe(201);
    return { fake, use: caller(gateway, gateway.apiKey) };
  }

  it.each([
    ['/chat/completions', {}],
    ['/messages', { max_tokens: 10 }],
  ])('is listed, and answers %s', async (path, more) => {
    const { fake, use } = await start();
    expect(JSON.stringify(bodyOf(await use('GET', '/models')))).toContain('claude/m');
    const messages = [{ role: 'user', content: 'Hello' }];
    const answer = await use('POST', path, { model: 'claude/m', messages, ...more });
    expect([answer.status, fake.requests.at(-1)?.path]).toEqual([200, '/v1/messages']);
  });
});
