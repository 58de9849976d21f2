import { describe, expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { startFakeHost } from '../../support/fakes/fake-openai/hosts.js';
import { FAKE_API_KEY } from '../../support/fakes/fake-openai.js';
import { startGateway } from '../../support/gateway.js';
import { bodyOf, caller, type Row, recordOf, refusalOf } from '../../support/rest.js';

const IMAGE = { type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } };
const seen = [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, IMAGE] }];
const plain = [{ role: 'user', content: 'Hello' }];

/** DeepSeek, which sees no images, is cheaper than a host that does; Groq gives one choice. */
async function start() {
  const [deepseek, groq, other] = await Promise.all([
    startFakeHost('deepseek'),
    startFakeHost('groq'),
    startFakeHost('unknown'),
  ]);
  const provider = (slug: string, base_url: string) => ({
    ...{ slug, name: `Provider ${slug}`, adapter: 'openai', base_url },
    data_policy: { zdr: true, data_collection: false },
  });
  const at = (slug: string, price: string) => ({
    provider: slug,
    upstream_model_id: slug === 'deepseek' ? 'deepseek-v4-pro' : 'm',
    pricing: { prompt: price, completion: price },
  });
  const gateway = await startGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [
        provider('deepseek', deepseek.baseUrl),
        provider('groq', groq.baseUrl),
        provider('other', other.baseUrl),
      ],
      models: [
        demoModel('test/two', [at('deepseek', '0.000001'), at('other', '0.000002')]),
        demoModel('test/blind', [at('deepseek', '0.000001')]),
        demoModel('test/one', [at('groq', '0.000001')]),
        demoModel('test/strict', [at('groq', '0.000001'), at('other', '0.000002')], {
          supported_parameters: ['n', 'stop', 'max_tokens'],
        }),
      ],
    },
  });
  const manage = caller(gateway, gateway.managementKey);
  for (const slug of ['deepseek', 'groq', 'other']) {
    expect((await manage('POST', '/byok', { provider: slug, key: FAKE_API_KEY })).status).toBe(201);
  }
  const use = caller(gateway, gateway.apiKey);
  const recorded = async (id: unknown) => recordOf(await use('GET', `/generation?id=${id}`));
  return { deepseek, groq, other, use, recorded };
}

describe('an endpoint whose host can’t take what a request uses', () => {
  it('is left out of the plan while others are left, in the record and in explain', async () => {
    const { deepseek, use, recorded } = await start();
    const answer = bodyOf(await use('POST', '/chat/completions', { model: 'test/two', messages: seen }));
    expect([answer.provider, deepseek.requests]).toEqual(['other', []]);
    const record = await recorded(answer.id);
    // With the key, and over shared capacity.
    expect(record.excluded_counts).toMatchObject({ unsupported_parameter: 2 });
    expect((record.provider_responses as Row[]).map(({ provider }) => provider)).toEqual(['other']);
    const { attempts, excluded } = recordOf(
      await use('POST', '/routing/explain', { model: 'test/two', messages: seen }),
    );
    expect((attempts as Row[]).map(({ provider }) => provider)).toEqual(['other']);
    expect(excluded).toContainEqual(
      expect.objectContaining({
        provider: 'deepseek',
        reason: 'unsupported_parameter',
        detail: 'messages[0].content[1]: Provider deepseek takes no part of type image_url, but text.',
      }),
    );
  });

  it.each([
    ['/chat/completions', { messages: seen }, 'messages[0].content[1]'],
    [
      '/messages',
      {
        max_tokens: 10,
        system: 'Look.',
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'url', url: 'https://pictures.example/a.png' } }],
          },
        ],
      },
      'messages[0].content[0]',
    ],
  ])(
    'is nothing to fall back to: alone it makes %s 400, which names the member',
    async (path, body, field) => {
      const { deepseek, use } = await start();
      const answer = await use('POST', path, { model: 'test/blind', ...body });
      expect([answer.status, deepseek.requests]).toEqual([400, []]);
      expect(answer.text).toContain(`"field":"${field}"`);
      expect(answer.text).toContain('takes no part of type image_url, but text');
      if (path === '/chat/completions') {
        expect(refusalOf(answer)).toEqual([400, 'invalid_request', `${field} unsupported`]);
      }
    },
  );
});

describe('sampling beyond what a host takes', () => {
  const asked = { n: 3, stop: ['a', 'b', 'c', 'd', 'e', 'f'] };

  it.each([false, true])('is sent as far as it goes, and told (streamed: %s)', async (stream) => {
    const { groq, use, recorded } = await start();
    const answer = await use('POST', '/chat/completions', {
      ...{ model: 'test/one', messages: plain, stream, ...asked },
    });
    expect(answer.status).toBe(200);
    expect(groq.requests.at(-1)?.body).toMatchObject({ n: 1, stop: ['a', 'b', 'c', 'd'] });
    const record = await recorded(answer.headers['x-generation-id']);
    const told = ['n', 'stop[4]', 'stop[5]'];
    expect((record.provider_responses as Row[])[0]?.adapted).toEqual(expect.arrayContaining(told));
    expect(record.omitted).toEqual(['stop[4]', 'stop[5]']);
    expect(String(answer.headers['x-byway-adapted']).split(', ')).toEqual(expect.arrayContaining(told));
  });

  it('excludes the endpoint for a request that requires its parameters', async () => {
    const { groq, use } = await start();
    const provider = { require_parameters: true };
    const answer = bodyOf(
      await use('POST', '/chat/completions', { model: 'test/strict', messages: plain, provider, ...asked }),
    );
    expect([answer.provider, groq.requests]).toEqual(['other', []]);
    const alone = await use('POST', '/chat/completions', {
      ...{ model: 'test/strict', messages: plain, provider: { ...provider, only: ['groq'] }, ...asked },
    });
    expect(refusalOf(alone)).toEqual([400, 'invalid_request', 'stop unsupported', 'n unsupported']);
  });
});
