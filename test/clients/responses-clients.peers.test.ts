import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { THOUGHT } from '../endpoint/platforms/wire-formats.js';
import { heardIn, SdkSession } from '../endpoint/responses/openai-sdk.js';
import { PLACES, placesOf, proofOf } from '../endpoint/responses/places.js';
import { launchPlatforms, type PlatformsGateway } from '../support/platforms.js';
import { CLIENTS, newestOpenAi, RESPONSES_CLIENTS } from './responses-clients.js';

const { CLIENTS_PYTHON = '' } = process.env;
const AGENTS = fileURLToPath(new URL('openai_agents.py', import.meta.url));
const RUN_MS = 120_000;
const TEXT = 'Grüezi mitenand 👋🏽!';

describe.runIf(RESPONSES_CLIENTS !== '')('clients of the Responses API', () => {
  let gateway: PlatformsGateway;
  beforeAll(async () => {
    gateway = await launchPlatforms(placesOf());
  }, RUN_MS);
  afterAll(() => gateway?.stop());

  const asked = ({ platform, lane }: (typeof PLACES)[number]) => ({
    rest: gateway.rest,
    apiKey: gateway.apiKey,
    model: `${platform.slug}/${lane}`,
  });

  describe.each(PLACES)('with $platform.slug, $lane', (place) => {
    it.each(CLIENTS)(
      '%s calls a tool, and says what came of it, whole and streamed',
      async (_, client) => {
        const heard = { text: TEXT, cities: ['Zürich'] };
        expect(await client(asked(place), false)).toEqual(heard);
        expect(await client(asked(place), true)).toEqual(heard);
      },
      RUN_MS,
    );

    it('the newest SDK for TypeScript hears the same in one piece and streamed, calls tools, shows images and files, parses, and thinks', async () => {
      const { rest: baseURL, apiKey, model } = asked(place);
      const OpenAI = await newestOpenAi();
      const session = new SdkSession(new OpenAI({ baseURL, apiKey, maxRetries: 0 }), model);
      const said = { status: 'completed', model, text: TEXT, reasoning: '', calls: [] };
      const called = { ...said, text: '', calls: [['weather', { city: 'Zürich' }]] };
      expect((await session.hello()).map(heardIn)).toEqual([said, said]);
      for (const shown of [await session.image(), await session.file()])
        expect(shown.map(heardIn)).toEqual([said, said]);
      expect(await session.parsed()).toEqual({ answer: '42' });
      expect(await session.tools()).toEqual({
        called: [called, called],
        answered: [said, said, said, said],
      });
      const call = ['weather', { city: 'Zürich' }];
      expect(await session.thinking()).toEqual([
        { ...said, text: '', reasoning: THOUGHT, calls: [call, call] },
        { ...said, reasoning: expect.any(String) },
        { ...said, text: '', reasoning: expect.any(String), calls: [call] },
      ]);
      expect(JSON.stringify(gateway.received(place.platform)[0])).toContain(proofOf(place));
    });

    it(
      "OpenAI's Agents SDK for Python calls a tool, and says what came of it",
      async () => {
        const { rest, apiKey, model } = asked(place);
        const { stdout } = await promisify(execFile)(CLIENTS_PYTHON, [AGENTS], {
          env: { OPENAI_BASE_URL: rest, OPENAI_API_KEY: apiKey, MODEL: model, NO_PROXY: '127.0.0.1' },
          timeout: RUN_MS,
        });
        expect(JSON.parse(stdout)).toEqual({ whole: TEXT, streamed: TEXT, asked: ['Zürich', 'Zürich'] });
      },
      RUN_MS,
    );
  });
});
