import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { THOUGHT } from '../endpoint/platforms/wire-formats.js';
import { IN_SCHEMA, PLACES, placesOf, proofOf, THINKING } from '../endpoint/responses/places.js';
import { launchPlatforms, type PlatformsGateway } from '../support/platforms.js';

/** A Python with OpenAI's SDK, which `npm run clients` installs. */
const { CLIENTS_PYTHON = '' } = process.env;

const SCRIPT = fileURLToPath(new URL('openai_sdk.py', import.meta.url));
const RUN_MS = 120_000;
const TEXT = 'Grüezi mitenand 👋🏽!';

describe.runIf(CLIENTS_PYTHON !== '')("OpenAI's SDK for Python, by the Responses API", () => {
  let gateway: PlatformsGateway;
  beforeAll(async () => {
    gateway = await launchPlatforms(placesOf());
  }, RUN_MS);
  afterAll(() => gateway?.stop());

  it.each(PLACES)(
    'hears the same from $platform.slug, $lane, whole and streamed',
    async (place) => {
      const { platform, lane } = place;
      const model = `${platform.slug}/${lane}`;
      const { stdout } = await promisify(execFile)(CLIENTS_PYTHON, [SCRIPT], {
        env: {
          OPENAI_BASE_URL: gateway.rest,
          OPENAI_API_KEY: gateway.apiKey,
          MODEL: model,
          ...{ IN_SCHEMA, THINKING },
          NO_PROXY: '127.0.0.1',
        },
        timeout: RUN_MS,
      });
      const said = { text: TEXT, status: 'completed', model, calls: [] };
      const called = { ...said, text: '', calls: [['weather', { city: 'Zürich' }]] };
      expect(JSON.parse(stdout)).toEqual({
        whole: said,
        streamed: said,
        tools: { whole: [called, said], streamed: [called, said] },
        image: said,
        file: said,
        async: said,
        parsed: '42',
        thinking: [
          [{ ...called, calls: [...called.calls, ...called.calls] }, THOUGHT],
          [said, expect.any(String)],
          [called, expect.any(String)],
        ],
        errors: {
          model: ['BadRequestError', 400, 'model_not_found', 'model'],
          stored: ['BadRequestError', 400, expect.any(String), 'store'],
          earlier: ['BadRequestError', 400, expect.any(String), 'previous_response_id'],
          key: ['AuthenticationError', 401],
        },
      });
      const thought = gateway.received(platform).map((body) => JSON.stringify(body));
      expect(thought.find((body) => body.includes('Go on'))).toContain(proofOf(place));
    },
    RUN_MS,
  );
});
