import { describe, expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY, startFakeAnthropic } from '../../support/fakes/fake-anthropic.js';
import { startGateway } from '../../support/gateway.js';
import { share } from '../../support/providers.js';
import { bodyOf, caller, recordOf } from '../../support/rest.js';

const UPSTREAM = 'claude-sonnet-4-6';
const PRICED = { prompt: '0.000003', completion: '0.000015' };
const FREE = { prompt: '0', completion: '0' };

interface Start {
  readonly isByok: boolean;
  readonly slug?: string;
  readonly pricing?: object;
  readonly more?: object;
}

async function start({ isByok, slug = 'anthropic', pricing = PRICED, more = {} }: Start) {
  const fake = await startFakeAnthropic();
  const gateway = await startGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [{ slug, name: slug, adapter: 'anthropic', base_url: fake.baseUrl }],
      models: [demoModel('a/claude', [{ provider: slug, upstream_model_id: UPSTREAM, pricing, ...more }])],
    },
  });
  const manage = caller(gateway, gateway.managementKey);
  if (isByok) recordOf(await manage('POST', '/byok', { provider: slug, key: FAKE_API_KEY }));
  else await share(gateway, slug, FAKE_API_KEY, 'anthropic');
  const use = caller(gateway, gateway.apiKey);
  /** What the host was told in headers of the API, and what the record says. */
  const ask = async (headers: Readonly<Record<string, string>>, path = '/messages') => {
    const messages = [{ role: 'user', content: 'Hello' }];
    const answer = await use('POST', path, { model: 'a/claude', max_tokens: 20, messages }, headers);
    expect(answer.status, answer.text).toBe(200);
    const got = Object.entries(fake.requests.at(-1)?.headers ?? {});
    const sent = Object.fromEntries(got.filter(([name]) => name.startsWith('anthropic-')));
    const { omitted } = recordOf(await use('GET', `/generation?id=${answer.headers['x-generation-id']}`));
    return { sent, omitted, all: Object.fromEntries(got) };
  };
  return { ask, use, fake, gateway };
}

const VERSION = { 'anthropic-version': '2023-06-01' };
const NEW = { 'anthropic-next-thing': 'on; level=2' };
const CLIENT = { 'anthropic-dangerous-direct-browser-access': 'true', 'anthropic-client-platform': 'cli' };
const OWNED = {
  'anthropic-workspace-id': 'wrkspc_1',
  'anthropic-organization-id': 'org-1',
  'anthropic-user-profile-id': 'profile-1',
};
const CREDENTIALS = {
  'anthropic-api-key': 'sk-ant-secret',
  'anthropic-auth-token': 'secret',
  'anthropic-session-key': 'secret',
  'anthropic-admin-key': 'secret',
};

describe('headers that begin with anthropic-', () => {
  it.each(['/messages', '/chat/completions'])(
    'reach Anthropic with a key of the account as they came, known here or not, from %s',
    async (path) => {
      const { ask } = await start({ isByok: true });
      const { sent, omitted } = await ask({ ...NEW, ...CLIENT, ...OWNED }, path);
      expect(sent).toEqual({ ...VERSION, ...NEW, ...CLIENT, ...OWNED });
      expect(omitted).toEqual([]);
    },
  );

  it('that carry a credential are sent nowhere, and named nowhere', async () => {
    for (const isByok of [true, false]) {
      const { ask, gateway } = await start({ isByok });
      const { sent, omitted, all } = await ask(CREDENTIALS);
      expect([sent, omitted, all['x-api-key']]).toEqual([VERSION, [], FAKE_API_KEY]);
      expect(gateway.log.join()).not.toContain('sk-ant-secret');
    }
  });

  it('that name something of the sender’s account, or may cost something, stay out of shared capacity and are named', async () => {
    const { ask } = await start({ isByok: false });
    const { sent, omitted } = await ask({ ...NEW, ...CLIENT, ...OWNED });
    expect(sent).toEqual({ ...VERSION, ...CLIENT });
    expect((omitted as string[]).toSorted()).toEqual([...Object.keys(NEW), ...Object.keys(OWNED)].toSorted());
  });

  it('reach shared capacity where nothing is charged, or the operator has named them; what is of an account does not', async () => {
    const free = await start({ isByok: false, pricing: FREE });
    expect((await free.ask({ ...NEW, ...OWNED })).sent).toEqual({ ...VERSION, ...NEW });
    const supported_parameters = ['max_tokens', 'anthropic-next-thing'];
    const named = await start({ isByok: false, more: { supported_parameters } });
    const { sent, omitted } = await named.ask({ ...NEW, 'anthropic-other-thing': '1' });
    expect([sent, omitted]).toEqual([{ ...VERSION, ...NEW }, ['anthropic-other-thing']]);
  });

  it.each(['deepseek', 'moonshotai', 'z-ai', 'fireworks'])(
    'do not reach %s, which only copies the API, but for those that it documents',
    async (slug) => {
      const { ask } = await start({ isByok: true, slug });
      const { sent, omitted } = await ask({ ...NEW, ...OWNED, 'anthropic-beta': 'some-beta-2026-01-01' });
      expect([sent, omitted]).toEqual([{ ...VERSION, 'anthropic-beta': 'some-beta-2026-01-01' }, []]);
    },
  );

  it('are bounded in number, size and characters: what is beyond is nobody’s', async () => {
    const { ask } = await start({ isByok: true });
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`anthropic-n${String(index).padStart(2, '0')}`, 'x']),
    );
    expect(Object.keys((await ask(many)).sent)).toHaveLength(20 + Object.keys(VERSION).length);
    const odd = {
      'anthropic-long': 'x'.repeat(1_025),
      [`anthropic-${'n'.repeat(60)}`]: 'x',
      'anthropic-under_score': 'x',
      'anthropic-bytes': 'gr\u00fc\u00df',
      'anthropic-fits': 'x'.repeat(1_024),
    };
    expect((await ask(odd)).sent).toEqual({ ...VERSION, 'anthropic-fits': 'x'.repeat(1_024) });
  });

  it('reach it over RPC too', async () => {
    const { gateway, fake } = await start({ isByok: true });
    const messages = [{ role: 'user', content: { text: 'Hello' } }];
    const answer = await fetch(`${gateway.url}/byway.v1.MessagesService/CreateMessage`, {
      method: 'POST',
      headers: { ...NEW, authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ request: { model: 'a/claude', max_tokens: 20, messages } }),
    });
    expect(answer.status, await answer.text()).toBe(200);
    expect(fake.requests.at(-1)?.headers).toMatchObject(NEW);
  });

  it('are sent with counts of tokens', async () => {
    const { use, fake } = await start({ isByok: true });
    const messages = [{ role: 'user', content: 'Hello' }];
    const answer = await use('POST', '/messages/count_tokens', { model: 'a/claude', messages }, NEW);
    expect([answer.status, bodyOf(answer).input_tokens !== undefined]).toEqual([200, true]);
    expect(fake.requests.at(-1)?.headers).toMatchObject(NEW);
  });
});
