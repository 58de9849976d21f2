import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { type Answer, send } from '../../support/rest.js';
import { ECHOES, NEVER_SENT, secretsOf } from './echoes.js';

const NAMES = ['sound', ...Object.keys(ECHOES)];
const MESSAGES = [{ role: 'user', content: 'Hello there' }];

const forms = new Map<string, readonly string[]>();

function formsOf(secret: string): readonly string[] {
  const known = forms.get(secret);
  if (known !== undefined) return known;
  const bytes = Buffer.from(secret);
  const encoded = [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')];
  const all = [...new Set([secret, encodeURIComponent(secret), ...encoded])];
  forms.set(secret, all);
  return all;
}

describe.each(['byok', 'shared'] as const)('credentials of every platform, %s', (capacity) => {
  let gateway: PlatformsGateway;
  let secrets: readonly string[];
  /** All answers, by name. */
  const answers = new Map<string, Answer>();

  const keep = async (name: string, answer: Promise<Answer>) => void answers.set(name, await answer);

  async function chat(platform: Platform, name: string): Promise<void> {
    for (const stream of [false, true]) {
      const at = `${platform.slug} ${name} ${stream ? 'streamed' : 'whole'}`;
      const body = { model: `${platform.slug}/${name}`, messages: MESSAGES, stream };
      await keep(at, gateway.use('POST', '/chat/completions', body));
      const id = answers.get(at)?.headers['x-generation-id'];
      if (id !== undefined) await keep(`${at}: generation`, gateway.manage('GET', `/generation?id=${id}`));
    }
    await keep(`${platform.slug} ${name}: over RPC`, rpcChat(`${platform.slug}/${name}`));
    const model = `${platform.slug}/${name}`;
    await keep(`${model}: explain`, gateway.use('POST', '/routing/explain', { model }));
  }

  function rpcChat(model: string): Promise<Answer> {
    return send(`${gateway.url}/byway.v1.ChatService/CreateChatCompletion`, 'POST', {
      headers: { authorization: `Bearer ${gateway.apiKey}` },
      body: { chat: { model, messages: MESSAGES } },
    });
  }

  beforeAll(async () => {
    gateway = await launchPlatforms(
      NAMES.map((name) => ({ name })),
      capacity,
    );
    await Promise.all(PLATFORMS.map((platform) => chat(platform, 'sound')));
    secrets = [...new Set([...PLATFORMS.flatMap((one) => secretsOf(one, gateway.fakes)), ...NEVER_SENT])];
    for (const platform of PLATFORMS) {
      const text = `you sent ${secretsOf(platform, gateway.fakes).join(' and ')} here`;
      for (const [name, echo] of Object.entries(ECHOES)) gateway.plan(platform, name, echo(platform, text));
    }
    for (const name of Object.keys(ECHOES))
      await Promise.all(PLATFORMS.map((platform) => chat(platform, name)));
    await tokenService();
    for (const id of gateway.keyIds.values()) {
      await keep(`test of ${id}`, gateway.manage('POST', `/byok/${id}/test`));
      await keep(`record of ${id}`, gateway.manage('GET', `/byok/${id}`));
    }
    for (const path of ['/byok', '/generations?limit=100', '/activity', '/providers', '/credits']) {
      await keep(path, gateway.manage('GET', path));
    }
    const authorization = `Bearer ${gateway.operatorKey}`;
    await keep('/metrics', send(`${gateway.url}/metrics`, 'GET', { headers: { authorization } }));
  }, 60_000);
  afterAll(() => gateway.stop());

  /** Google's token service echoes the account and the assertion. */
  async function tokenService(): Promise<void> {
    const { vertex } = gateway.fakes;
    const assertion = new URLSearchParams(vertex.tokenRequests[0]).get('assertion') ?? '';
    secrets = [...secrets, assertion];
    const [platform] = PLATFORMS.filter(({ slug }) => slug === 'vertex-gemini');
    if (platform === undefined) throw new Error('there is no such platform');
    const account = secretsOf(platform, gateway.fakes);
    for (const status of [400, 500]) {
      vertex.expireTokens();
      const text = `no token for ${account.join(' and ')} and ${assertion}`;
      vertex.planTokens({ status, body: { error: 'invalid_grant', error_description: text } });
      const body = { model: 'vertex-gemini/sound', messages: MESSAGES };
      await keep(`token service ${status}`, gateway.use('POST', '/chat/completions', body));
      expect(answers.get(`token service ${status}`)?.status).toBe(502);
    }
  }

  /** The secrets that are in the text, in plain or encoded form. */
  function leaksIn(text: string): string[] {
    return secrets.filter((secret) => formsOf(secret).some((form) => text.includes(form)));
  }

  it('every platform was called, and echoed its credential', () => {
    expect(secrets.length).toBeGreaterThan(20);
    for (const { slug } of PLATFORMS) {
      for (const mode of ['whole', 'streamed']) {
        expect([slug, answers.get(`${slug} sound ${mode}`)?.status]).toEqual([slug, 200]);
        expect(answers.get(`${slug} 400 ${mode}`)?.text).toContain('[credential]');
      }
      expect(answers.get(`${slug} midstream streamed`)?.text).toMatch(/Well.*"error":.*\[credential\]/s);
    }
  });

  it('are in no answer, no error, no record, no metric', () => {
    const leaks = [...answers].map(([name, { text, headers }]) => [
      name,
      leaksIn(text + JSON.stringify(headers)),
    ]);
    expect(leaks.filter(([, found]) => found?.length !== 0)).toEqual([]);
  });

  it('are in no line of the log', () => {
    expect(gateway.log.length).toBeGreaterThan(answers.size);
    expect(gateway.log.filter((line) => leaksIn(line).length > 0)).toEqual([]);
  });

  it('and the check would find one', () => {
    for (const secret of secrets) {
      expect(leaksIn(`x ${secret} y`)).toContain(secret);
      expect(leaksIn(Buffer.from(secret).toString('base64'))).toContain(secret);
    }
  });
});
