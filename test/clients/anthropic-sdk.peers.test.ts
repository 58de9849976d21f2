import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../support/platforms.js';

/** A Python with Anthropic's SDK, which `npm run clients` installs. */
const { CLIENTS_PYTHON = '' } = process.env;

const SCRIPT = fileURLToPath(new URL('anthropic_sdk.py', import.meta.url));
const RUN_MS = 120_000;

const TEXT = 'Grüezi mitenand 👋🏽!';
const CALL = ['weather', { city: 'Zürich' }];

function isClaude({ family }: Platform): boolean {
  return family.includes('claude');
}

/** Claude where the platform has it, one that takes thoughts and schemas. */
function upstreamId(platform: Platform): string | undefined {
  if (platform.slug === 'bedrock-signed') return 'us.anthropic.claude-sonnet-4-6';
  return isClaude(platform) ? platform.family.replace('claude-3-haiku-', 'claude-sonnet-4-6') : undefined;
}

describe.runIf(CLIENTS_PYTHON !== '')("Anthropic's SDK for Python", () => {
  let gateway: PlatformsGateway;
  beforeAll(async () => {
    gateway = await launchPlatforms([
      { name: 'm', upstreamId, overrides: () => ({ context_length: 1_000_000 }) },
    ]);
  }, RUN_MS);
  afterAll(() => gateway?.stop());

  it.each(PLATFORMS)(
    'hears the same from $slug, whole and streamed',
    async (platform) => {
      const model = `${platform.slug}/m`;
      const { stdout } = await promisify(execFile)(CLIENTS_PYTHON, [SCRIPT], {
        env: {
          ANTHROPIC_BASE_URL: `${gateway.url}/api`,
          ANTHROPIC_API_KEY: gateway.apiKey,
          MODEL: model,
          THINKS: isClaude(platform) ? '1' : '0',
          NO_PROXY: '127.0.0.1',
        },
        timeout: RUN_MS,
      });
      const said = { text: TEXT, stop_reason: 'end_turn', model, tools: [], thoughts: [] };
      const called = { text: '', stop_reason: 'tool_use', model, tools: [CALL], thoughts: [] };
      const thoughts = ['Hm, well'];
      const thought = [
        { ...called, thoughts },
        { ...said, thoughts },
      ];
      const unknown = ['NotFoundError', 404, 'not_found_error'];
      expect(JSON.parse(stdout)).toEqual({
        whole: said,
        streamed: said,
        tools: { whole: [called, said], streamed: [called, said] },
        image: said,
        thinking: isClaude(platform) ? { whole: thought, streamed: thought } : null,
        schema: said,
        errors: {
          model: unknown,
          streamed: unknown,
          shape: ['BadRequestError', 400, 'invalid_request_error'],
          key: ['AuthenticationError', 401, 'authentication_error'],
        },
        models: { isListed: true, isUnique: true, one: model },
        count: expect.any(Number),
      });
    },
    RUN_MS,
  );
});
