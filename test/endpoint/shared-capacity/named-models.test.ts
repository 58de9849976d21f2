import { describe, expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY, startFakeAnthropic } from '../../support/fakes/fake-anthropic.js';
import { startGateway } from '../../support/gateway.js';
import { share } from '../../support/providers.js';
import { bodyOf, caller, type Row, recordOf } from '../../support/rest.js';

const ASKED = 'anthropic/claude-sonnet-4.6';
const OTHER = 'anthropic/claude-opus-4.8';
const MODELS = [
  [ASKED, 'claude-sonnet-4-6'],
  [OTHER, 'claude-opus-4-8'],
  ['anthropic/claude-opus-5', 'claude-opus-5-internal'],
  ['house/best', 'claude-opus-5'],
] as const;

const HELLO = { model: ASKED, max_tokens: 64, messages: [{ role: 'user', content: 'Hello there' }] };

/** Ways in which a request names another model for its host to answer with. */
const NAMED: readonly (readonly [place: string, more: (model: string) => object])[] = [
  ['fallbacks[0].model', (model) => ({ fallbacks: [{ model }] })],
  ['fallbacks', (model) => ({ fallbacks: [model] })],
  ['tools[0].model', (model) => ({ tools: [{ type: 'advisor_20260301', name: 'advisor', model }] })],
  ['tools[0].agent.model', (model) => ({ tools: [{ type: 'agent_20260901', name: 'a', agent: { model } }] })],
  ['qx.deep.fallback_model', (model) => ({ qx: { deep: { fallback_model: model } } })],
  ['qx.models', (model) => ({ qx: { models: { answering: model } } })],
];

/** Spellings of the other model. */
const SPELLINGS = [OTHER, 'claude-opus-4-8', 'claude-opus-4.8'];

const FORMATS = [
  { path: '/messages', format: 'messages' },
  { path: '/chat/completions', format: 'chat' },
] as const;

/** A gateway with a key of the account, or over shared capacity that admits what requests name other models by. */
async function start({
  isShared = false,
  dataPolicy = {},
}: {
  isShared?: boolean;
  dataPolicy?: object;
} = {}) {
  const fake = await startFakeAnthropic();
  const supported_parameters = ['max_tokens', 'fallbacks', 'advisor', 'agent', 'qx'];
  const gateway = await startGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [
        {
          slug: 'anthropic',
          name: 'Anthropic',
          adapter: 'anthropic',
          base_url: fake.baseUrl,
          data_policy: { zdr: true, data_collection: false },
        },
      ],
      models: MODELS.map(([id, upstream_model_id]) =>
        demoModel(
          id,
          [{ provider: 'anthropic', upstream_model_id, ...(id === OTHER && { data_policy: dataPolicy }) }],
          isShared ? { supported_parameters } : {},
        ),
      ),
    },
  });
  const manage = caller(gateway, gateway.managementKey);
  const use = caller(gateway, gateway.apiKey);
  if (isShared) await share(gateway, 'anthropic', FAKE_API_KEY);
  else recordOf(await manage('POST', '/byok', { provider: 'anthropic', key: FAKE_API_KEY }));
  return {
    fake,
    manage,
    use,
    /** A guardrail for all of the account's requests. */
    async guard(rules: object) {
      const { id } = recordOf(await manage('POST', '/guardrails', { name: 'Rules', ...rules }));
      const { hash } = recordOf(await use('GET', '/key'));
      const assigned = await manage('POST', `/guardrails/${id}/assignments/keys`, { key_hashes: [hash] });
      expect(assigned.status, assigned.text).toBeLessThan(300);
    },
    async reasons(format: string, more: object): Promise<unknown> {
      const explained = bodyOf(await use('POST', '/routing/explain', { ...HELLO, format, ...more }));
      return Object.keys((explained.data as { excluded_counts: Row }).excluded_counts);
    },
  };
}

describe.each([false, true])('a model that a request names (over shared capacity: %s)', (isShared) => {
  it.each(FORMATS)(
    'does not answer at $path where a guardrail forbids it, however it is named',
    async ({ path, format }) => {
      const { fake, use, guard, reasons } = await start({ isShared });
      await guard({ ignored_models: [OTHER] });
      for (const [place, more] of NAMED) {
        for (const model of SPELLINGS) {
          const asked = more(model);
          const { status, text } = await use('POST', path, { ...HELLO, ...asked });
          expect([place, model, status, text]).toEqual([
            place,
            model,
            path === '/messages' ? 400 : 404,
            expect.stringContaining('guardrail_model'),
          ]);
          expect(await reasons(format, asked)).toEqual(['guardrail_model']);
        }
      }
      expect(fake.requests).toEqual([]);
    },
  );

  it('is also the one that the host calls so, where the catalogue calls another one so', async () => {
    const { fake, use, guard } = await start({ isShared });
    await guard({ ignored_models: ['house/best'] });
    for (const [place, more] of NAMED) {
      const { status } = await use('POST', '/messages', { ...HELLO, ...more('claude-opus-5') });
      expect([place, status]).toEqual([place, 400]);
    }
    expect(fake.requests).toEqual([]);
  });

  it('that the catalogue does not have does not answer where a guardrail says which models may', async () => {
    const { fake, use, guard } = await start({ isShared });
    await guard({ allowed_models: [ASKED] });
    const { status } = await use('POST', '/messages', { ...HELLO, fallbacks: [{ model: 'claude-next' }] });
    expect([status, fake.requests.length]).toEqual([400, 0]);
  });

  it('answers where nothing forbids it', async () => {
    const { fake, use, guard } = await start({ isShared });
    await guard({ allowed_models: [ASKED, OTHER] });
    fake.plan('claude-sonnet-4-6', {});
    await use('POST', '/messages', { ...HELLO, fallbacks: [{ model: 'claude-opus-4-8' }] });
    expect(fake.requests[0]?.body).toMatchObject({ fallbacks: [{ model: 'claude-opus-4-8' }] });
  });

  it('does not answer where its data policy is not what is demanded', async () => {
    const { fake, use, reasons } = await start({
      isShared,
      dataPolicy: { zdr: false, data_collection: true },
    });
    const fallbacks = [{ model: OTHER }];
    for (const [provider, reason] of [
      [{ zdr: true }, 'data_policy_zdr'],
      [{ data_collection: 'deny' }, 'data_policy_collection'],
    ] as const) {
      const more = { fallbacks, provider };
      expect((await use('POST', '/messages', { ...HELLO, ...more })).status).toBe(400);
      expect(await reasons('messages', more)).toEqual([reason]);
    }
    expect(fake.requests).toEqual([]);
  });
});

describe('with a key of the account', () => {
  it('a model that a request names is judged by the key’s model filter', async () => {
    const { fake, manage, use, reasons } = await start();
    const { data } = bodyOf(await manage('GET', '/byok')) as { data: Row[] };
    recordOf(await manage('PATCH', `/byok/${data[0]?.id}`, { allowed_models: [ASKED] }));
    const more = { fallbacks: [{ model: 'claude-opus-4-8' }] };
    expect((await use('POST', '/messages', { ...HELLO, ...more })).status).toBe(400);
    expect(await reasons('messages', more)).toContain('key_model_filter');
    expect(fake.requests).toEqual([]);
  });

  it('a model that costs more than `max_price` is not named', async () => {
    const { fake, use, reasons } = await start();
    const more = { fallbacks: [{ model: 'claude-next' }], provider: { max_price: { prompt: 5 } } };
    expect((await use('POST', '/messages', { ...HELLO, ...more })).status).toBe(400);
    expect(await reasons('messages', more)).toContain('max_price');
    expect(fake.requests).toEqual([]);
  });

  it('a model in what the conversation says is not one that answers', async () => {
    const { use, guard } = await start();
    await guard({ ignored_models: [OTHER] });
    const messages = [{ role: 'user', content: [{ type: 'text', text: '{"model": "claude-opus-4-8"}' }] }];
    const tools = [{ name: 'f', input_schema: { type: 'object', properties: { model: { const: OTHER } } } }];
    const { status, text } = await use('POST', '/messages', { ...HELLO, messages, tools });
    expect([status, text]).toEqual([200, expect.anything()]);
  });
});

describe('through the host of a region', () => {
  async function startRegion() {
    const fake = await startFakeAnthropic();
    const gateway = await startGateway({
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', BYWAY_REGION_HOSTS: 'us.example.test=us' },
      catalog: {
        providers: [
          {
            slug: 'anthropic',
            name: 'A',
            adapter: 'anthropic',
            base_url: fake.baseUrl,
            regions: ['us-east'],
          },
        ],
        models: [demoModel(ASKED, [{ provider: 'anthropic', upstream_model_id: 'claude-sonnet-4-6' }])],
      },
    });
    const manage = caller(gateway, gateway.managementKey);
    recordOf(await manage('POST', '/byok', { provider: 'anthropic', key: FAKE_API_KEY }));
    const use = caller(gateway, gateway.apiKey);
    return {
      fake,
      use: (more: object) => use('POST', '/messages', { ...HELLO, ...more }, { host: 'us.example.test' }),
    };
  }

  it('`inference_geo` must lie in the region', async () => {
    const { fake, use } = await startRegion();
    expect((await use({ inference_geo: 'us' })).status).toBe(200);
    for (const inference_geo of ['global', 'eu', 'EU']) {
      const { status, text } = await use({ inference_geo });
      expect([status, text]).toEqual([400, expect.stringContaining('region')]);
    }
    expect(fake.requests).toHaveLength(1);
  });

  it('servers of which no region is known are not called', async () => {
    const { fake, use } = await startRegion();
    const mcp_servers = [{ type: 'url', url: 'https://mcp.example', name: 'docs' }];
    expect((await use({ mcp_servers })).status).toBe(400);
    expect(fake.requests).toEqual([]);
  });
});
