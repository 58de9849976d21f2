import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valuesOf } from '../../support/dump.js';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { type Answer, send } from '../../support/rest.js';
import { secretsOf } from './echoes.js';
import { RESPONSES_PLANTS } from './planted-responses.js';
import { leaksOf, SPELLED } from './spellings.js';

const SPEAKERS = PLATFORMS.filter(({ slug }) =>
  ['openai', 'azure-catalog', 'azure-deployment'].includes(slug),
);

const NAMES = Object.keys(SPELLED).flatMap((spelled) =>
  Object.keys(RESPONSES_PLANTS).map((plant) => ({ spelled, plant, model: `${plant} ${spelled}` })),
);

const modelOf = (name: string) => name.replaceAll(' ', '-');

/** Every API at a host that speaks Responses alone. */
const REQUESTS: Readonly<Record<string, object>> = {
  '/responses': { input: 'Hello there', include: ['reasoning.encrypted_content'] },
  '/chat/completions': { messages: [{ role: 'user', content: 'Hello there' }] },
  '/messages': { max_tokens: 100, messages: [{ role: 'user', content: 'Hello there' }] },
};

const MARKED = expect.stringContaining('[credential]');

describe.each(['byok', 'shared'] as const)(
  'a host of Responses that plants a credential of %s capacity in every member',
  (capacity) => {
    let gateway: PlatformsGateway;
    const answers = new Map<string, Answer>();
    let secrets: readonly string[];
    let stored: string[];

    const keep = async (name: string, answer: Promise<Answer>) => void answers.set(name, await answer);

    async function ask({ slug }: Platform, name: string): Promise<void> {
      const model = `${slug}/${modelOf(name)}`;
      for (const [path, body] of Object.entries(REQUESTS)) {
        for (const stream of [false, true]) {
          const at = `${slug} ${name} ${path} ${stream ? 'streamed' : 'whole'}`;
          await keep(at, gateway.use('POST', path, { model, ...body, stream }));
          const id = answers.get(at)?.headers['x-generation-id'];
          await keep(`${at}: generation`, gateway.manage('GET', `/generation?id=${id}`));
        }
      }
      const headers = { authorization: `Bearer ${gateway.apiKey}` };
      const rpc = `${gateway.url}/byway.v1.ResponsesService/CreateResponse`;
      const request = { model, input: { text: 'Hello there' } };
      await keep(`${slug} ${name}: over RPC`, send(rpc, 'POST', { headers, body: { request } }));
    }

    beforeAll(async () => {
      gateway = await launchPlatforms(
        NAMES.map(({ model }) => ({
          name: modelOf(model),
          endpoint: ({ slug }) =>
            SPEAKERS.some((one) => one.slug === slug) ? { formats: ['responses'] } : {},
        })),
        capacity,
      );
      secrets = [...new Set(SPEAKERS.flatMap((platform) => secretsOf(platform, gateway.fakes)))];
      for (const platform of SPEAKERS) {
        for (const { spelled, plant, model } of NAMES) {
          const planted = SPELLED[spelled]?.(secretsOf(platform, gateway.fakes));
          const plan = planted && RESPONSES_PLANTS[plant]?.(planted);
          gateway.plan(platform, modelOf(model), plan ?? {});
          await ask(platform, model);
        }
      }
      await keep('/generations', gateway.manage('GET', '/generations?limit=100'));
      stored = await valuesOf(gateway.gateway.database);
    }, 120_000);
    afterAll(() => gateway.stop());

    it('is answered in every API, with a mark in place of the credential', () => {
      for (const { slug } of SPEAKERS) {
        for (const { spelled, plant, model } of NAMES) {
          for (const path of Object.keys(REQUESTS)) {
            for (const kind of ['whole', 'streamed']) {
              const { status = 0, text = '' } = answers.get(`${slug} ${model} ${path} ${kind}`) ?? {};
              const at = [slug, model, path, kind];
              const said = spelled === 'in every spelling' ? 'Well: [credential]' : 'Well: nothing';
              if (plant === 'everywhere')
                expect([...at, status, text]).toEqual([...at, 200, expect.stringContaining(said)]);
              else if (path === '/responses') expect([...at, text]).toEqual([...at, MARKED]);
            }
          }
        }
      }
    });

    it('does not get it exposed: in no answer, no event, no error, no record', () => {
      const leaks = [...answers].map(
        ([name, { text, headers }]) => [name, leaksOf(secrets, text + JSON.stringify(headers))] as const,
      );
      expect(leaks.filter(([, found]) => found.length > 0)).toEqual([]);
    });

    it('does not get it stored or logged', () => {
      expect(stored.some((value) => value.includes('[credential]'))).toBe(true);
      expect(leaksOf(secrets, stored.join('\n'))).toEqual([]);
      expect(leaksOf(secrets, gateway.log.join('\n'))).toEqual([]);
    });
  },
);
