import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_CATALOG_FILE } from '../../../src/catalog/default.js';
import { launchGateway, type TestGateway } from '../../support/gateway.js';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { caller, type Row, rowsOf } from '../../support/rest.js';
import { type Fence, startFence } from '../fence.js';
import { CLAUDE_CODE, environment } from './claude-code.js';

/** It takes some seconds to start, and a slow machine several times that. */
const RUN_MS = 120_000;

/** A file of this name is what the demo provider asks for. */
const FILE = 'example';
const TEXT = 'The secret word is kumquat.';

/** What the fakes say after the tool has been called. */
const ANSWER = 'Grüezi mitenand 👋🏽!';

/** Claude where the platform has it, one that takes what Claude Code sends. */
function upstreamId({ slug, family }: Platform): string | undefined {
  if (slug === 'bedrock-signed') return 'us.anthropic.claude-sonnet-4-6';
  return isClaude(family) ? family.replace('claude-3-haiku-', 'claude-sonnet-4-6') : undefined;
}

function isClaude(family: string): boolean {
  return family.includes('claude');
}

/** What a run printed (https://code.claude.com/docs/en/headless). */
interface Printed {
  readonly result: string;
  readonly is_error: boolean;
  readonly num_turns: number;
  readonly session_id: string;
}

describe.runIf(CLAUDE_CODE !== '')('Claude Code', () => {
  const ends: (() => unknown)[] = [];
  let folder: string;
  let platforms: PlatformsGateway;
  let packaged: TestGateway;
  let fence: Fence;

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'byway-claude-code-')));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, FILE);
    writeFileSync(file, `${TEXT}\n`);
    const overrides = () => ({ context_length: 1_000_000 });
    const plan = () => ({ tool: { name: 'Read', input: { file_path: file } } });
    platforms = await launchPlatforms([{ name: 'm', upstreamId, overrides, plan }]);
    ends.push(() => platforms.stop());
    const started = await launchGateway({ catalog: JSON.parse(readFileSync(DEFAULT_CATALOG_FILE, 'utf8')) });
    ends.push(() => started.stop());
    packaged = started;
    fence = await startFence();
    ends.push(() => fence.close());
  }, RUN_MS);

  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  /** Asks for the file, and returns what was printed and the records of the session's generations. */
  async function ask(gateway: TestGateway, model: string): Promise<{ printed: Printed; records: Row[] }> {
    const args = ['-p', `What is the secret word in the file ${FILE}?`, '--model', model, '--max-turns', '3'];
    const read = ['--tools', 'Read', '--allowedTools', 'Read', '--output-format', 'json'];
    const running = promisify(execFile)(CLAUDE_CODE, [...args, ...read], {
      cwd: folder,
      env: environment({ folder, url: gateway.url, apiKey: gateway.apiKey, fence }),
      timeout: RUN_MS,
    });
    running.child.stdin?.end();
    // After a failure it exits with 1, and has printed what went wrong all the same.
    const { stdout } = await running.catch((failed: { readonly stdout: string }) => failed);
    const printed: Printed = JSON.parse(stdout.slice(stdout.indexOf('{"')));
    const generations = rowsOf(await caller(gateway, gateway.managementKey)('GET', '/generations?limit=100'));
    expect(fence.strays).toEqual([]);
    return { printed, records: generations.filter(({ session_id }) => session_id === printed.session_id) };
  }

  it.each(PLATFORMS)(
    'reads a file by a tool call of $slug, and says what it answers then',
    async (platform) => {
      const { printed, records } = await ask(platforms, `${platform.slug}/m`);
      expect(printed).toMatchObject({ is_error: false, num_turns: 2, result: ANSWER });
      expect(JSON.stringify(platforms.received(platform)[0])).toContain(TEXT);
      const lane = isClaude(platform.family) ? 'native' : 'translated';
      // A model that refuses a part of the request is asked once more without it.
      const answered = records.filter(({ finish_reason }) => finish_reason !== 'error');
      expect(answered.map(({ finish_reason }) => finish_reason)).toEqual(['stop', 'tool_calls']);
      for (const record of answered) {
        expect(record).toMatchObject({ api: 'messages', lane, provider: platform.slug });
      }
    },
    RUN_MS,
  );

  it(
    'does so with the demo provider of a first start',
    async () => {
      const { printed, records } = await ask(packaged, 'demo/tools');
      expect(printed).toMatchObject({ is_error: false, num_turns: 2 });
      expect(printed.result).toContain('This is Byway');
      expect(records).toHaveLength(2);
    },
    RUN_MS,
  );
});
