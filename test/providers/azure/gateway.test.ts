import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { azure } from '../../../src/providers/azure/index.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import { guardedConnector } from '../../../src/providers/http/guard.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { demoModel } from '../../support/catalog.js';
import { FILTERED_PROMPT } from '../../support/fakes/fake-azure/errors.js';
import { FAKE_AZURE_KEY, startFakeAzure } from '../../support/fakes/fake-azure.js';
import { startGateway } from '../../support/gateway.js';

const RESOURCE = { api_key: FAKE_AZURE_KEY, resource_name: 'my-resource' };
const DEPLOYMENT = {
  model_slug: '~vendor/latest',
  endpoint_url:
    'https://r.openai.azure.com/openai/deployments/prod/chat/completions?api-version=2025-01-01-preview',
  api_key: FAKE_AZURE_KEY,
  model_id: 'prod',
};

/** A gateway whose Azure is the fake, with the models `vendor/m` and `vendor/n` and an alias of the first. */
async function start({ baseUrl, env = {} }: { baseUrl?: null; env?: Record<string, string> } = {}) {
  const fake = await startFakeAzure(['gpt-m', 'gpt-n', 'prod', 'o4-mini']);
  const [http, guardedHttp] = [createHttp(), createHttp(guardedConnector())];
  onTestFinished(async () => void (await Promise.all([http.close(), guardedHttp.close()])));
  const provider = { slug: 'azure', name: 'Azure', adapter: 'azure' };
  const alias = { id: '~vendor/latest', name: 'Latest', created: 1, alias_target: { slug: 'vendor/m' } };
  const gateway = await startGateway({
    env,
    adapters: new Map([['azure', createAdapter(azure({ http, guardedHttp }), systemClock)]]),
    catalog: {
      providers: [baseUrl === null ? provider : { ...provider, base_url: fake.baseUrl }],
      models: [
        demoModel('vendor/m', [{ provider: 'azure', upstream_model_id: 'gpt-m' }]),
        demoModel('vendor/n', [{ provider: 'azure', upstream_model_id: 'gpt-n' }]),
        demoModel('openai/o4-mini', [{ provider: 'azure', upstream_model_id: 'o4-mini' }]),
        alias,
      ],
    },
  });
  const post = async (path: string, token: string, body: object) => {
    const answer = await fetch(`${gateway.rest}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, text, json: () => JSON.parse(text) };
  };
  const messages = [{ role: 'user', content: 'Hello there' }];
  return {
    fake,
    gateway,
    addKey: (key: unknown) => post('/byok', gateway.managementKey, { provider: 'azure', key }),
    chat: (model: string, more: object = {}) =>
      post('/chat/completions', gateway.apiKey, { model, messages, ...more }),
    explain: (model: string) => post('/routing/explain', gateway.apiKey, { model }),
  };
}

describe('F2: models that old versions of Azure’s API refuse', () => {
  it('are called at the path without a version, with the limit that they take', async () => {
    const { fake, addKey, chat } = await start();
    await addKey([RESOURCE]);
    expect((await chat('openai/o4-mini', { max_tokens: 50 })).status).toBe(200);
    expect((await chat('vendor/m', { max_completion_tokens: 50 })).status).toBe(200);
    expect(fake.requests.map(({ path, body: { messages: _, ...body } }) => [path, body])).toEqual([
      ['/openai/v1/chat/completions', { model: 'o4-mini', max_completion_tokens: 50 }],
      ['/openai/v1/chat/completions', { model: 'gpt-m', max_tokens: 50 }],
    ]);
  });

  it('or at the newest version where the resource has no such path, which is remembered', async () => {
    const { fake, addKey, chat } = await start();
    fake.plan('gpt-m', { status: 404, body: { error: { code: '404', message: 'Resource not found' } } }, {});
    await addKey([RESOURCE]);
    for (const _ of [1, 2]) expect((await chat('vendor/m')).status).toBe(200);
    const dated = '/openai/deployments/gpt-m/chat/completions?api-version=2025-04-01-preview';
    expect(fake.requests.map(({ path }) => path)).toEqual(['/openai/v1/chat/completions', dated, dated]);
  });

  it('or at the version of the entry', async () => {
    const { fake, addKey, chat } = await start();
    await addKey([{ ...RESOURCE, api_version: '2025-04-01-preview' }]);
    expect((await chat('openai/o4-mini')).status).toBe(200);
    expect(fake.requests[0]?.path).toBe(
      '/openai/deployments/o4-mini/chat/completions?api-version=2025-04-01-preview',
    );
  });

  it('which must be one', async () => {
    const { addKey } = await start();
    const refused = await addKey([{ ...RESOURCE, api_version: 'latest' }]);
    expect([refused.status, refused.json().error.metadata.violations]).toEqual([
      400,
      [expect.objectContaining({ field: 'key[0].api_version', rule: 'api_version' })],
    ]);
  });
});

describe('F13: the role developer', () => {
  it('is sent to OpenAI’s models on Azure, and is system for those of others', async () => {
    const { fake, addKey, chat } = await start();
    await addKey([RESOURCE]);
    const messages = [
      { role: 'developer', content: 'Be brief' },
      { role: 'user', content: 'Hello there' },
    ];
    for (const model of ['openai/o4-mini', 'vendor/m'])
      expect((await chat(model, { messages })).status).toBe(200);
    expect(fake.requests.map(({ body }) => body.messages?.[0]?.role)).toEqual(['developer', 'system']);
  });
});

describe('Azure behind the gateway', () => {
  it('a per-deployment entry wins for its model, the resource serves all others', async () => {
    const { fake, addKey, chat } = await start();
    expect((await addKey([RESOURCE, DEPLOYMENT])).status).toBe(201);
    for (const model of ['vendor/m', '~vendor/latest', 'vendor/n']) {
      const answer = await chat(model);
      expect(answer.status).toBe(200);
      expect(answer.json()).toMatchObject({
        provider: 'azure',
        usage: { is_byok: true, completion_tokens: 4 },
      });
    }
    const own = '/openai/deployments/prod/chat/completions?api-version=2025-01-01-preview';
    expect(fake.requests.map(({ path, body }) => [path, body.model])).toEqual([
      [own, 'prod'],
      [own, 'prod'],
      ['/openai/v1/chat/completions', 'gpt-n'],
    ]);
  });

  it('streams past the content filter', async () => {
    const { fake, addKey, chat } = await start();
    fake.plan('gpt-m', { isFilterAsynchronous: true });
    await addKey([{ ...RESOURCE, resource_type: 'catalog' }]);
    const { text } = await chat('vendor/m', { stream: true });
    const data = text.split('\n\n').filter((event) => event.startsWith('data: '));
    expect(data.at(-1)).toBe('data: [DONE]');
    const chunks = data.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)));
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
      'Grüezi mitenand 👋🏽!',
    );
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 4 } });
    expect(text).not.toMatch(/filter/);
    expect(fake.requests[0]?.path).toBe('/openai/v1/chat/completions');
  });

  it('a key without an entry for the model has no endpoint', async () => {
    const { fake, addKey, chat, explain } = await start();
    const created = (await addKey([DEPLOYMENT])).json();
    const route = (await explain('vendor/n')).json().data;
    expect(route.attempts).toEqual([]);
    expect(route.excluded).toContainEqual(
      expect.objectContaining({ byok_key_id: created.data.id, endpoint: null, reason: 'key_no_endpoint' }),
    );
    expect((await explain('vendor/m')).json().data.attempts).toMatchObject([{ is_byok: true }]);
    const refused = await chat('vendor/n');
    expect([refused.status, refused.json().error.metadata.reasons]).toEqual([
      404,
      { key_no_endpoint: 1, no_shared_credential: 1 },
    ]);
    expect(fake.requests).toEqual([]);
  });

  it('a filtered prompt ends the plan', async () => {
    const { fake, addKey, chat } = await start();
    fake.plan('gpt-m', FILTERED_PROMPT);
    await addKey([RESOURCE]);
    await addKey([RESOURCE]);
    const answer = await chat('vendor/m');
    expect(answer.status).toBe(400);
    expect(answer.json().error).toMatchObject({ metadata: { reason: 'content_filter' } });
    expect(fake.requests).toHaveLength(1);
  });

  it('reports a refused key without any part of it', async () => {
    const canary = 'canaryQ7-0123456789abcdef0123456789';
    const { gateway, addKey, chat } = await start();
    await addKey([
      { ...RESOURCE, api_key: canary },
      { ...DEPLOYMENT, api_key: canary },
    ]);
    const answers = [
      await chat('vendor/m'),
      await chat('vendor/n'),
      await chat('vendor/m', { stream: true }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([502, 502, 502]);
    const text = answers.map((answer) => answer.text).join() + gateway.log.join();
    expect(text).toContain('"status":401');
    expect(text).not.toContain('canaryQ7');
  });

  it('never connects to a private address that a key names, even one that was stored', async () => {
    const { fake, addKey, chat } = await start({
      baseUrl: null,
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    });
    const endpoint_url = `${fake.baseUrl}/openai/deployments/prod/chat/completions?api-version=2024-10-21`;
    expect((await addKey([{ ...DEPLOYMENT, endpoint_url }])).status).toBe(201);
    const answer = await chat('vendor/m');
    expect(answer.json().error.metadata.provider_responses).toMatchObject([
      { status: null, error: 'connect' },
    ]);
    expect(fake.connections).toBe(0);
  });
});
