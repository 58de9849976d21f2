import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { buildByway, byway, documentOf, emptyDataDir, spawnByway } from '../support/byway.js';
import { emptyDatabaseUrl } from '../support/database.js';
import { startPeer } from '../support/peer-process.js';
import { hasPostgres } from '../support/postgres/postgres-access.js';
import { hear } from '../support/providers.js';
import { caller } from '../support/rest.js';

/** A Python with llama.cpp's server, and the file of a model, which `npm run local-server` makes. */
const { LLAMA_CPP_PYTHON: PYTHON, LLAMA_CPP_MODEL = '' } = process.env;

const SCRIPT = fileURLToPath(new URL('serve.py', import.meta.url));
const KEY = 'sk-local-0123456789abcdef';
const CONTEXT_LENGTH = 2048;
const MAX_TOKENS = 8;
const START_MS = 60_000;
const RUN_MS = 120_000;
const WAIT = { timeout: START_MS, interval: 50 };

const INSTALLATIONS = [
  { name: 'one process on SQLite', isPossible: true, settings: async () => ({}) },
  {
    name: 'two workers on PostgreSQL',
    isPossible: hasPostgres(),
    settings: async () => ({
      BYWAY_WORKERS: '2',
      BYWAY_DATABASE_URL: await emptyDatabaseUrl('postgres'),
      BYWAY_MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
    }),
  },
].filter(({ isPossible }) => isPossible);

describe.runIf(PYTHON !== undefined)('a server of one’s own, llama.cpp’s', () => {
  beforeAll(buildByway, RUN_MS);

  it.each(INSTALLATIONS)(
    'is added in one command beside $name, answers chats and streams right after, and is removed',
    async ({ settings }) => {
      const env = { ...(await settings()), BYWAY_DATA_DIR: emptyDataDir(), HOST: '127.0.0.1', PORT: '0' };
      const gateway = await startGateway(env);
      const use = caller(gateway, gateway.apiKey);
      const open = await startLlama();
      const guarded = await startLlama(KEY);
      const run = (args: readonly string[], stdin = '') => byway([...args, '--json'], env, stdin);
      const ask = (model: string, stream: boolean) =>
        use('POST', '/chat/completions', {
          model,
          stream,
          max_tokens: MAX_TOKENS,
          messages: [{ role: 'user', content: 'Hello' }],
        });
      const complete = (model: string, stream: boolean) =>
        use('POST', '/completions', { model, stream, max_tokens: MAX_TOKENS, prompt: 'Once upon a' });
      const completesAll = async (model: string) => {
        const whole = JSON.parse((await complete(model, false)).text);
        expect(whole).toMatchObject({
          object: 'text_completion',
          model,
          choices: [{ index: 0, text: expect.stringMatching(/./), finish_reason: 'length' }],
          usage: { completion_tokens: MAX_TOKENS, cost: 0 },
        });
        const { text } = await complete(model, true);
        const [last, done] = text.trim().split('\n\n').slice(-2);
        expect(JSON.parse(String(last).slice('data: '.length))).toMatchObject({
          choices: [],
          usage: { completion_tokens: MAX_TOKENS, cost: 0 },
        });
        expect(done).toBe('data: [DONE]');
      };
      const answersAll = async (model: string) => {
        for (const stream of [false, true]) {
          const heard = hear(await ask(model, stream));
          expect(heard).toMatchObject({ status: 200, error: null, isDone: true, finishReason: 'length' });
          expect(heard.content).toMatch(/^[\w .,!?]{1,8}$/);
        }
      };

      const added = documentOf(await run(['provider', 'add', 'mine', '--url', open, '--no-key']));
      expect(added).toMatchObject({ base_url: `${open}/v1`, takes_key: false, answered: 'mine/tiny.gguf' });
      await answersAll('mine/tiny.gguf');
      await completesAll('mine/tiny.gguf');
      const { text } = await use('GET', '/models/mine/tiny.gguf/endpoints');
      expect(JSON.parse(text).data.endpoints).toMatchObject([{ context_length: CONTEXT_LENGTH }]);

      const refused = await run(['provider', 'add', 'guarded', '--url', guarded, '--no-key']);
      expect([refused.code, refused.stderr + refused.stdout]).toEqual([
        1,
        expect.stringContaining('the host wants a key (--key-from-stdin)'),
      ]);
      const withKey = ['provider', 'add', 'guarded', '--url', guarded, '--key-from-stdin', '--free'];
      const wrong = await run(withKey, 'sk-none-0123456789abcdef');
      expect(wrong.stderr + wrong.stdout).toContain('the host refuses the key');
      expect(documentOf(await run(withKey, KEY))).toMatchObject({ takes_key: true, unpriced: [] });
      await answersAll('guarded/tiny.gguf');
      await completesAll('guarded/tiny.gguf');

      const own = async () =>
        documentOf(await run(['provider', 'list']))
          .providers.filter(({ origin }: { readonly origin: string }) => origin === 'operator')
          .map(({ slug }: { readonly slug: string }) => slug);
      expect(await own()).toEqual(['guarded', 'mine']);
      for (const slug of ['mine', 'guarded']) {
        expect(documentOf(await run(['provider', 'remove', slug])).retired).toEqual([`${slug}/tiny.gguf`]);
      }
      expect(await own()).toEqual([]);
      await vi.waitFor(async () => expect((await ask('mine/tiny.gguf', false)).status).not.toBe(200), WAIT);
    },
    RUN_MS,
  );
});

/** The root of its URLs. It serves in a second, once Python has loaded it. */
function startLlama(...key: string[]): Promise<string> {
  const peer = {
    command: PYTHON ?? '',
    args: (port: number) => [SCRIPT, LLAMA_CPP_MODEL, String(port), ...key],
    readyPath: '/health',
    startMs: START_MS,
  };
  return startPeer(peer, (end) => onTestFinished(end));
}

async function startGateway(env: Readonly<Record<string, string>>) {
  const server = spawnByway(['serve'], env);
  const url = await vi.waitFor(() => {
    const found = /Byway is ready at http:\/\/[^:]+:(\d+)/.exec(server.stdout());
    if (found === null) throw new Error(`not ready: ${server.stdout()}${server.stderr()}`);
    return `http://127.0.0.1:${found[1]}`;
  }, WAIT);
  const keys = JSON.parse(readFileSync(join(env.BYWAY_DATA_DIR ?? '', 'first-start.json'), 'utf8'));
  return { rest: `${url}/api/v1`, apiKey: String(keys.api_key) };
}
