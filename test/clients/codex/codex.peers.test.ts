import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_CATALOG_FILE } from '../../../src/catalog/default.js';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY, type FakeOpenAi, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { launchGateway, type TestGateway } from '../../support/gateway.js';
import { bodyOf, caller, recordOf, rowsOf } from '../../support/rest.js';
import { type CountingFront, startCountingFront } from '../counting-front.js';
import { type Fence, startFence } from '../fence.js';
import { CODEX, type CodexOptions, type CodexTurn, codexTurn } from './codex.js';
import { FILES, LEFT, PATCH } from './codex-script.js';

/** It comes again five times before it gives up, later each time. */
const RUN_MS = 120_000;

/** How long it waits for the handshake of a WebSocket. */
const WEBSOCKET_TIMEOUT_MS = 15_000;

/** Words alone, whatever tools there are. */
const SERVED = { words: ['Served'], calls: [] };

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
    const models = ['chat', 'responses'].map((format) =>
      demoModel(`openai/${format}`, [{ provider: 'openai', upstream_model_id: format, formats: [format] }], {
        context_length: 400_000,
      }),
    );
    const started = await launchGateway({
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
      catalog: {
        ...packaged,
        providers,
        models: [...packaged.models, ...models],
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
    readonly folder: string;
  }

  async function ask(options: CodexOptions, apiKey = gateway.apiKey): Promise<Asked> {
    const folder = mkdtempSync(join(root, 'session-'));
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    front.forget();
    const turn = await codexTurn({ folder, rest: front.rest, apiKey, fence }, 'Say hello', options);
    expect(fence.strays).toEqual([]);
    return { turn, posts: front.asked.length, folder };
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
    'asks once where it wants a host to compact that can’t, and shows why',
    async () => {
      // So it does at providers that are called OpenAI.
      const settings = {
        'model_providers.byway.name': '"OpenAI"',
        model_auto_compact_token_limit: '1',
      };
      const { turn, posts } = await ask({ model: 'demo/tools', settings });
      expect(turn.commands).toHaveLength(1);
      // The one that called the command was the first.
      expect(posts).toBe(2);
      expect(turn.failure).toMatch(/asks the provider to compact/);
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

  it(
    'gives up on a management key, and shows why',
    async () => {
      const { turn, posts } = await ask({ model: 'demo/echo' }, gateway.managementKey);
      expect(posts).toBe(6);
      expect(turn.failure).toContain('403');
    },
    RUN_MS,
  );

  it(
    'is told at once that there is no WebSocket, and is answered over HTTP',
    async () => {
      const settings = { 'model_providers.byway.supports_websockets': 'true' };
      const since = performance.now();
      const { turn, posts } = await ask({ model: 'demo/echo', settings });
      expect(turn).toMatchObject({ failure: undefined, said: expect.stringContaining('Say hello') });
      expect([front.upgrades.length, posts]).toEqual([1, 1]);
      expect(performance.now() - since).toBeLessThan(WEBSOCKET_TIMEOUT_MS);
    },
    RUN_MS,
  );

  it.each(['chat', 'responses'])(
    'patches a file by a tool with a grammar, over %s',
    async (format) => {
      const calls = [{ id: 'call_1', name: 'apply_patch', input: { input: PATCH } }];
      host.plan(format, { calls }, SERVED);
      const { turn, posts, folder } = await ask({ model: `openai/${format}`, listsModels: true });
      expect(turn).toMatchObject({ failure: undefined, warnings: [], said: 'Served' });
      expect(posts).toBe(2);
      expect(turn.patched).toHaveLength(1);
      expect(readFileSync(join(folder, 'list.md'), 'utf8')).toBe(LEFT['list.md']);
    },
    RUN_MS,
  );

  const CUT = { words: Array.from({ length: 2_000 }, () => 'Grüezi '), calls: [] };
  const passing: readonly (readonly [what: string, plan: object])[] = [
    [
      'rate limits it',
      { status: 429, body: { error: { message: 'slow down' } }, headers: { 'retry-after': '1' } },
    ],
    ['is down for a moment', { status: 503, body: { error: { message: 'overloaded' } } }],
    ['cuts the first answer before its content', { ...CUT, cutAfterBytes: 0 }],
    ['cuts the first answer within its content', { ...CUT, cutAfterBytes: 150_000 }],
  ];

  describe.each(['chat', 'responses'])('over %s', (format) => {
    it.each(passing)(
      'comes again where the provider %s, and is served',
      async (_, plan) => {
        host.plan(format, plan, SERVED);
        const { turn, posts } = await ask({ model: `openai/${format}` });
        expect(turn).toMatchObject({ failure: undefined, said: 'Served' });
        expect(posts).toBe(2);
      },
      RUN_MS,
    );
  });

  /** It opens a stream six times, and asks for each five times where the status is 5xx. */
  const lasting = [
    { status: 402, settings: {}, expected: 30, why: 'no balance or quota is left' },
    {
      status: 403,
      settings: { 'model_providers.byway.request_max_retries': '0' },
      expected: 6,
      why: 'does not admit the provider key',
    },
  ];

  it.each(lasting)(
    'gives up where the provider answers $status, and shows why',
    async ({ status, settings, expected, why }) => {
      host.plan('chat', { status, body: { error: { message: 'Not you' } } });
      const { turn, posts } = await ask({ model: 'openai/chat', settings });
      expect(posts).toBe(expected);
      expect(turn.failure).toContain(why);
    },
    RUN_MS,
  );
});
