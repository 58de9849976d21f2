import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostsGateway, launchHosts } from '../../support/hosts/gateway.js';
import { HOSTS, type Host, modelIdOf } from '../../support/hosts/table.js';
import { bodyOf, type Call, caller, type Row, recordOf } from '../../support/rest.js';

/** A name of a person and a path, as clients make them up. */
const SESSION = '/home/ada.lovelace/engine';

/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

const HEADERS: Readonly<Record<string, string>> = {
  fireworks: 'x-session-affinity',
  openrouter: 'x-session-id',
  xai: 'x-grok-conv-id',
};
const WITH_MEMBER = ['azure', 'mistral', 'moonshot', 'moonshotai', 'openai'];

/** What a host was told in the last request. */
function toldAt(running: HostsGateway, host: Host) {
  const { headers, body, text, refused } = running.requests(host).at(-1) ?? {};
  const header = Object.entries(headers ?? {}).filter(([name]) => /session|conv-id|affinity/.test(name));
  return {
    ...{ text: text ?? '', refused },
    hints: Object.fromEntries(header),
    key: (body as { prompt_cache_key?: unknown } | undefined)?.prompt_cache_key,
    sessionId: (body as { session_id?: unknown } | undefined)?.session_id,
  };
}

const byKind = (kind: (host: Host) => boolean) =>
  HOSTS.filter(kind).map((host) => [host.name, host] as const);

const ofHeader = byKind(({ provider }) => provider in HEADERS);
const ofMember = byKind(({ provider, model }) => WITH_MEMBER.includes(provider) && !/deepseek/i.test(model));
const ofNothing = byKind(
  ({ name, provider }) =>
    provider !== 'unknown' && ![...ofHeader, ...ofMember].some(([hinted]) => hinted === name),
);
const [unknown] = HOSTS.filter(({ provider }) => provider === 'unknown');
const [openai] = HOSTS.filter(({ provider }) => provider === 'openai');
if (unknown === undefined || openai === undefined) throw new Error('there is a host of either');

describe.each(['byok', 'shared'] as const)('over %s', (capacity) => {
  let gateway: HostsGateway;
  beforeAll(async () => {
    gateway = await launchHosts({ context_length: 1_000_000 }, capacity);
  }, 60_000);
  afterAll(() => gateway?.stop());

  const ask = async (
    host: Host,
    members: object,
    headers: Readonly<Record<string, string>> = { 'x-session-id': SESSION },
    use: Call = gateway.use,
  ) => {
    const messages = [{ role: 'user', content: 'Hello' }];
    const answer = await use(
      'POST',
      '/chat/completions',
      { model: modelIdOf(host), messages, ...members },
      headers,
    );
    expect(answer.status, answer.text).toBe(200);
    const { id } = bodyOf(answer);
    const record = recordOf(await use('GET', `/generation?id=${id}`));
    const [response] = record.provider_responses as Row[];
    return {
      ...toldAt(gateway, host),
      record,
      adapted: response?.adapted,
      attempts: record.provider_responses,
    };
  };

  it('every kind of host is tried', () => {
    expect(ofHeader.length).toBeGreaterThan(2);
    expect(new Set(ofMember.map(([, { provider }]) => provider)).size).toBeGreaterThan(3);
    expect(ofNothing.length).toBeGreaterThan(10);
  });

  it.each(ofHeader)('%s is told of the session in its own header, which names nobody', async (_, host) => {
    const { hints, key, text, record, adapted } = await ask(host, {});
    expect(hints).toEqual({ [HEADERS[host.provider] ?? '']: expect.stringMatching(TOKEN) });
    expect([key, adapted, record.omitted, record.session_id]).toEqual([undefined, null, [], SESSION]);
    expect(text).not.toContain('lovelace');
  });

  it.each(ofMember)('%s is told of the session in prompt_cache_key, which names nobody', async (_, host) => {
    const { hints, key, text, record, adapted } = await ask(host, {});
    expect(key).toMatch(TOKEN);
    expect([hints, adapted, record.omitted, record.session_id]).toEqual([{}, null, [], SESSION]);
    expect(text).not.toContain('lovelace');
    expect((await ask(host, { stream: false })).key).toBe(key);
    expect((await ask(host, {}, { 'session-id': 'another' })).key).not.toBe(key);
  });

  it.each(ofNothing)('%s is told nothing, and not named anywhere', async (_, host) => {
    const { hints, key, sessionId, text, record, adapted, refused } = await ask(
      host,
      { session_id: SESSION },
      {},
    );
    expect([hints, key, sessionId, refused]).toEqual([{}, undefined, undefined, undefined]);
    expect([adapted, record.omitted, record.session_id]).toEqual([null, [], SESSION]);
    expect(text).not.toContain('lovelace');
  });

  it.each([...ofHeader, ...ofMember])(
    '%s is told nothing of a request without a session',
    async (_, host) => {
      const { hints, key } = await ask(host, {}, {});
      expect([hints, key]).toEqual([{}, undefined]);
    },
  );

  it.each(ofMember)(
    'the prompt_cache_key of the client goes before that of the session at %s',
    async (_, host) => {
      const { key, refused, adapted } = await ask(host, { prompt_cache_key: 'mine' });
      expect(refused).toBeUndefined();
      if (capacity === 'byok') expect([key, adapted]).toEqual(['mine', null]);
      else expect([key, adapted]).toEqual([expect.stringMatching(TOKEN), ['prompt_cache_key']]);
    },
  );

  it('a prompt_cache_key that is too long for OpenAI reaches it as a short one, and no attempt is refused', async () => {
    const { key, adapted, attempts, record } = await ask(openai, { prompt_cache_key: 'k'.repeat(65) });
    expect(key).toMatch(TOKEN);
    expect([adapted, record.omitted, (attempts as Row[]).length]).toEqual([['prompt_cache_key'], [], 1]);
  });

  it.runIf(capacity === 'shared')('two accounts with the same names never tell a host the same', async () => {
    const use = caller(gateway, (await gateway.addAccount()).apiKey);
    const headers = { 'x-session-id': SESSION };
    expect((await ask(openai, {}, headers, use)).key).not.toBe((await ask(openai, {}, headers)).key);
    const mine = { prompt_cache_key: 'guessed' };
    expect((await ask(openai, mine, {}, use)).key).not.toBe((await ask(openai, mine, {})).key);
  });

  it('a host that refuses what only the gateway has added is asked again without, and nobody is told', async () => {
    const message = 'Unrecognized request argument supplied: prompt_cache_key';
    const refusal = { error: { message, type: 'invalid_request_error', param: null, code: null } };
    gateway.plan(openai, (body: object) =>
      'prompt_cache_key' in body ? { status: 400, body: refusal } : {},
    );
    try {
      const before = gateway.requests(openai).length;
      const { key, adapted, record } = await ask(openai, {});
      expect([key, adapted, record.omitted]).toEqual([undefined, null, []]);
      expect(gateway.requests(openai).length - before).toBe(2);
      expect((await ask(openai, {})).key).toBeUndefined();
      expect(gateway.requests(openai).length - before).toBe(3);
      expect((await ask(openai, { prompt_cache_key: 'mine' })).adapted).toEqual(['prompt_cache_key']);
    } finally {
      gateway.plan(openai, {});
    }
  });
});
