import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valuesOf } from '../../support/dump.js';
import { PRIVATE_KEY_PEM } from '../../support/fakes/fake-vertex/account.js';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { type Answer, send } from '../../support/rest.js';
import { secretsOf } from './echoes.js';
import { plantsOf } from './planted.js';
import { leaksOf, PIECE, SPELLED } from './spellings.js';

const MESSAGES = [{ role: 'user', content: 'Hello there' }];
const TOOLS = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];

const PRIVATE_KEY_LINES = PRIVATE_KEY_PEM.split('\n').slice(1, -2);

/** The secret members of a platform's credential, and the tokens that were made with it. */
function secretMembers(platform: Platform, { fakes }: PlatformsGateway): string[] {
  return platform.fake === 'vertex'
    ? [...PRIVATE_KEY_LINES.slice(0, 2), ...fakes.vertex.tokens]
    : secretsOf(platform, fakes);
}

const NAMES = Object.keys(SPELLED).flatMap((spelled) =>
  ['everywhere', 'in an error'].map((plant) => `${plant} ${spelled}`),
);

describe.each(['byok', 'shared'] as const)(
  'a provider that plants a credential of %s capacity in every member',
  (capacity) => {
    let gateway: PlatformsGateway;
    const answers = new Map<string, Answer>();
    const secrets = new Map<string, readonly string[]>();
    let stored: string[];

    const modelOf = (name: string) => name.replaceAll(' ', '-');
    const keep = async (name: string, answer: Promise<Answer>) => void answers.set(name, await answer);

    async function ask({ slug }: Platform, name: string): Promise<void> {
      const chat = { model: `${slug}/${modelOf(name)}`, messages: MESSAGES, tools: TOOLS, logprobs: true };
      for (const stream of [false, true]) {
        const at = `${slug} ${name} ${stream ? 'streamed' : 'whole'}`;
        await keep(at, gateway.use('POST', '/chat/completions', { ...chat, stream }));
        const id = answers.get(at)?.headers['x-generation-id'];
        await keep(`${at}: generation`, gateway.manage('GET', `/generation?id=${id}`));
      }
      const headers = { authorization: `Bearer ${gateway.apiKey}` };
      const rpc = `${gateway.url}/byway.v1.ChatService/CreateChatCompletion`;
      await keep(`${slug} ${name}: over RPC`, send(rpc, 'POST', { headers, body: { chat } }));
    }

    beforeAll(async () => {
      gateway = await launchPlatforms(
        ['sound', ...NAMES].map((name) => ({ name: modelOf(name) })),
        capacity,
      );
      for (const platform of PLATFORMS) {
        // A token must have been issued.
        const body = { model: `${platform.slug}/sound`, messages: MESSAGES };
        await keep(`${platform.slug} sound`, gateway.use('POST', '/chat/completions', body));
      }
      for (const platform of PLATFORMS) secrets.set(platform.slug, secretMembers(platform, gateway));
      for (const platform of PLATFORMS) {
        for (const [spelled, planted] of Object.entries(SPELLED)) {
          for (const [plant, plan] of Object.entries(plantsOf(platform))) {
            const name = `${plant} ${spelled}`;
            gateway.plan(platform, modelOf(name), plan(planted(secrets.get(platform.slug) ?? [])));
            await ask(platform, name);
          }
        }
        const id = gateway.keyIds.get(platform.slug);
        if (id !== undefined)
          await keep(`${platform.slug}: test`, gateway.manage('POST', `/byok/${id}/test`));
      }
      for (const path of ['/generations?limit=100', '/activity', '/byok'])
        await keep(path, gateway.manage('GET', path));
      const authorization = `Bearer ${gateway.operatorKey}`;
      await keep('/metrics', send(`${gateway.url}/metrics`, 'GET', { headers: { authorization } }));
      stored = await valuesOf(gateway.gateway.database);
    }, 120_000);
    afterAll(() => gateway.stop());

    const leaksIn = (text: string) => leaksOf([...new Set([...secrets.values()].flat())], text);

    it('is answered: its answers arrive, with a mark in place of the credential', () => {
      for (const { slug } of PLATFORMS) {
        for (const spelled of Object.keys(SPELLED)) {
          for (const kind of ['whole', 'streamed']) {
            const { status, text } = answers.get(`${slug} everywhere ${spelled} ${kind}`) ?? {
              status: 0,
              text: '',
            };
            expect([slug, spelled, kind, status, text]).toEqual([
              slug,
              spelled,
              kind,
              200,
              expect.stringContaining('[credential]'),
            ]);
            expect(text).toContain(spelled === 'in every spelling' ? 'Well: [credential]' : 'Well: nothing');
          }
          expect(answers.get(`${slug} in an error ${spelled} whole`)?.text).toContain('[credential]');
        }
      }
    });

    it('does not get it exposed: in no answer, no chunk, no error, no record, no metric', () => {
      const leaks = [...answers].map(
        ([name, { text, headers }]) => [name, leaksIn(text + JSON.stringify(headers))] as const,
      );
      expect(leaks.filter(([, found]) => found.length > 0)).toEqual([]);
    });

    it('does not get it stored', () => {
      expect(stored.filter((value) => value.includes('[credential]')).length).toBeGreaterThan(
        PLATFORMS.length,
      );
      expect(leaksIn(stored.join('\n'))).toEqual([]);
    });

    it('does not get it logged', () => {
      expect(gateway.log.length).toBeGreaterThan(answers.size);
      expect(leaksIn(gateway.log.join('\n'))).toEqual([]);
    });

    it('and the check would find it', () => {
      for (const secret of [...secrets.values()].flat()) {
        expect(secret.length).toBeGreaterThanOrEqual(PIECE + 3);
        expect(leaksIn(`x${secret.slice(2, 2 + PIECE)}y`)).toContain(secret);
        expect(leaksIn(btoa(secret))).toContain(secret);
      }
    });
  },
);
