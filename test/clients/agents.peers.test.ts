import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../support/platforms.js';
import { rowsOf } from '../support/rest.js';
import { AGENTS, type Api, codex, type Place, RUN_MS } from './agents.js';
import { startFence } from './fence.js';

const TEXT = 'The secret word is kumquat.';

/** What the fakes say after the tool has been called. */
const ANSWER = 'Grüezi mitenand 👋🏽!';

/** Each API at a provider that speaks another one. */
const ASKED: readonly (readonly [api: Api, slug: string])[] = [
  ['chat', 'anthropic'],
  ['messages', 'openai'],
];

const RUNS = AGENTS.flatMap((agent) => ASKED.map(([api, slug]) => ({ agent, name: agent.name, api, slug })));

describe.runIf(AGENTS.length > 0 || codex.command !== '')('agents in a terminal', () => {
  const ends: (() => unknown)[] = [];
  let file: string;
  let platforms: PlatformsGateway;

  const newFolder = () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'byway-agent-')));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  };

  beforeAll(async () => {
    file = join(newFolder(), 'example');
    writeFileSync(file, `${TEXT}\n`);
    const models = AGENTS.map(({ name, read }) => ({
      name: name.toLowerCase(),
      overrides: () => ({ context_length: 1_000_000 }),
      plan: () => ({ tool: read(file) }),
    }));
    platforms = await launchPlatforms([...models, { name: 'plain' }]);
    ends.push(() => platforms.stop());
  }, RUN_MS);

  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  const placeFor = async (folder = newFolder()): Promise<Place> => {
    const { url, apiKey } = platforms;
    const fence = await startFence();
    ends.push(() => fence.close());
    return { folder, url, apiKey, fence };
  };

  it.each(RUNS)(
    '$name reads a file by a tool call of $slug over $api, and says what it answers then',
    async ({ agent, api, slug }) => {
      const platform = PLATFORMS.find((one): one is Platform => one.slug === slug);
      if (platform === undefined) throw new Error(slug);
      const model = `${slug}/${agent.name.toLowerCase()}`;
      // The file has to be in the folder that the agent may read.
      const place = await placeFor(join(file, '..'));
      const before = rowsOf(await platforms.manage('GET', '/generations?limit=100')).length;
      expect(await agent.ask(place, api, model, `What is the secret word in ${file}?`)).toContain(ANSWER);
      expect(JSON.stringify(platforms.received(platform).slice(0, 2))).toContain(TEXT);
      const records = rowsOf(await platforms.manage('GET', '/generations?limit=100')).slice(
        0,
        -before || undefined,
      );
      const lane = api === 'chat' ? null : 'translated';
      for (const record of records) expect(record).toMatchObject({ api, lane, provider: slug });
      expect(records.map(({ finish_reason }) => finish_reason)).toContain('tool_calls');
      expect(place.fence.strays.filter((line) => !agent.strays.test(line))).toEqual([]);
    },
    RUN_MS,
  );

  it.runIf(codex.command !== '')(
    'Codex knows the models of the gateway',
    async () => {
      const slugs = await codex.models(await placeFor());
      expect(slugs).toEqual(expect.arrayContaining(PLATFORMS.map(({ slug }) => `${slug}/plain`)));
    },
    RUN_MS,
  );
});
