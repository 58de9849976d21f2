import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_CATALOG_FILE } from '../../src/catalog/default.js';
import { demoModel } from '../support/catalog.js';
import { FAKE_API_KEY, type FakeOpenAi, startFakeOpenAi } from '../support/fakes/fake-openai.js';
import { launchGateway, type TestGateway } from '../support/gateway.js';
import { bodyOf, caller, recordOf, rowsOf } from '../support/rest.js';
import { CODEX, type CodexOptions, type CodexTurn, codexTurn } from './codex.js';
import { type CountingFront, startCountingFront } from './counting-front.js';
import { type Fence, startFence } from './fence.js';

/** It comes again five times before it gives up, later each time. */
const RUN_MS = 120_000;

describe.runIf(CODEX !== '')('Codex', () => {
  const ends: (() => unknown)[] = [];
  let root: string;
  let gateway: TestGateway;
  let host: FakeOpenAi;
  let front: CountingFront;
  let fence: Fence;

  beforeAll(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'byway-codex-')));
    ends.push(() => rmSync(root, { recursive: true, force: true }));
    fence = await startFence();
    ends.push(() => fence.close());
    host = await startFakeOpenAi((end) => void ends.push(end));
    const packaged = JSON.parse(readFileSync(DEFAULT_CATALOG_FILE, 'utf8'));
    const at = ({ slug }: { readonly slug: string }) => slug === 'openai';
    const providers = packaged.providers.map((provider: { readonly slug: string }) =>
      at(provider) ? { ...provider, base_url: host.baseUrl } : provider,
    );
    const endpoint = { provider: 'openai', upstream_model_id: 'm', formats: ['chat'] };
    const started = await launchGateway({
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
      catalog: {
        ...packaged,
        providers,
        models: [...packaged.models, demoModel('test/m', [endpoint], { context_length: 400_000 })],
      },
    });
    ends.push(() => started.stop());
    gateway = started;
    front = await startCountingFront(gateway.rest);
    ends.push(() => front.close());
    recordOf(await manage('POST', '/byok', { provider: 'openai', key: FAKE_API_KEY }));
  }, RUN_MS);

  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  const manage: ReturnType<typeof caller> = (...call) => caller(gateway, gateway.managementKey)(...call);

  interface Asked {
    readonly turn: CodexTurn;
    /** Requests for an answer. */
    readonly posts: number;
  }

  async function ask(options: CodexOptions, apiKey = gateway.apiKey): Promise<Asked> {
    const folder = mkdtempSync(join(root, 'session-'));
    mkdirSync(folder, { recursive: true });
    front.forget();
    const turn = await codexTurn({ folder, rest: front.rest, apiKey, fence }, 'Say hello', options);
    expect(fence.strays).toEqual([]);
    return { turn, posts: front.asked.length };
  }

  it(
    'has a plain turn with the demo provider of a first start',
    async () => {
      const { turn, posts } = await ask({ model: 'demo/echo' });
      expect(turn).toMatchObject({ failure: undefined, said: expect.stringContaining('Say hello') });
      expect(turn.usage?.input_tokens).toBeGreaterThan(0);
      expect(posts).toBe(1);
      const [record] = rowsOf(await manage('GET', '/generations?limit=1'));
      expect(record).toMatchObject({ api: 'responses', lane: 'translated', finish_reason: 'stop' });
    },
    RUN_MS,
  );

  it(
    'runs a command that the demo provider calls, and is told what it printed',
    async () => {
      const { turn, posts } = await ask({ model: 'demo/tools' });
      expect(turn.failure).toBeUndefined();
      expect(turn.commands).toHaveLength(1);
      expect(turn.said).not.toBe('');
      expect(posts).toBe(2);
    },
    RUN_MS,
  );

  it(
    'knows the models of the gateway where it asks for them',
    async () => {
      const { turn } = await ask({ model: 'demo/echo', listsModels: true });
      expect(turn).toMatchObject({ failure: undefined, warnings: [] });
    },
    RUN_MS,
  );

  /** Limits and keys that refuse. */
  async function newKey(settings: object): Promise<string> {
    return String(bodyOf(await manage('POST', '/keys', { name: 'Codex', ...settings })).key);
  }

  it(
    'asks once where the model is unknown, and shows why',
    async () => {
      const { turn, posts } = await ask({ model: 'nobody/nothing' });
      expect(posts).toBe(1);
      expect(turn.failure).toContain('nobody/nothing');
    },
    RUN_MS,
  );

  it(
    'asks once where a limit without a reset is spent, and speaks of quota',
    async () => {
      const { turn, posts } = await ask({ model: 'demo/echo' }, await newKey({ limit: 0 }));
      expect(posts).toBe(1);
      expect(turn.failure).toMatch(/quota/i);
    },
    RUN_MS,
  );

  it(
    'asks once where a limit with a reset is spent, and says when to come again',
    async () => {
      const { turn, posts } = await ask(
        { model: 'demo/echo' },
        await newKey({ limit: 0, limit_reset: 'monthly' }),
      );
      expect(posts).toBe(1);
      expect(turn.failure).toMatch(/usage limit.*try again/i);
    },
    RUN_MS,
  );

  it(
    'gives up on a key that nobody knows, and shows why',
    async () => {
      const { turn, posts } = await ask({ model: 'demo/echo' }, `bw-v1-${'0'.repeat(64)}`);
      expect(posts).toBe(6);
      expect(turn.failure).toContain('401');
    },
    RUN_MS,
  );

  const refusals: readonly (readonly [what: string, plan: object])[] = [
    [
      'rate limits it',
      { status: 429, body: { error: { message: 'slow down' } }, headers: { 'retry-after': '1' } },
    ],
    ['is down for a moment', { status: 503, body: { error: { message: 'overloaded' } } }],
    ['cuts the first answer before its content', { cutAfter: 0 }],
  ];

  it.each(refusals)(
    'comes again where the provider %s, and is served',
    async (_, plan) => {
      host.plan('m', plan, {});
      const { turn, posts } = await ask({ model: 'test/m' });
      expect(turn.failure).toBeUndefined();
      expect(turn.said).not.toBe('');
      expect(posts).toBeGreaterThanOrEqual(1);
    },
    RUN_MS,
  );
});
