import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chosenModels, modelDocuments } from '../../src/cli/providers/models.js';
import { documentOf, emptyInstallation, inProcess } from '../support/byway.js';
import { startRerankHost } from '../support/fakes/fake-rerank-host.js';
import { startForwardProxy } from '../support/fakes/forward-proxy.js';
import { type LocalServer, startLocalServer } from '../support/fakes/local-servers.js';

type Environment = Awaited<ReturnType<typeof emptyInstallation>>;

const KEY = 'sk-local-0123456789abcdef';

async function run(env: Environment, args: readonly string[], stdin = '') {
  const ended = await inProcess([...args, '--json'], env, stdin);
  return { ...ended, document: ended.stdout === '' ? undefined : documentOf(ended) };
}

async function exported(env: Environment, ...more: string[]) {
  return documentOf(await inProcess(['catalog', 'export', '--json', ...more], env));
}

const MODELS: Readonly<Record<LocalServer, readonly [id: string, contextLength: number]>> = {
  ollama: ['mine/llama3.2:1b', 131_072],
  vllm: ['mine/Llama-3.2-1B-Instruct', 8192],
  'lm-studio': ['mine/qwen2-vl-7b-instruct', 32_768],
  'llama.cpp': ['mine/tiny.gguf', 4096],
};

describe('models of Ollama', () => {
  const offered = (id: string) => ({
    ...{ id, contextLength: null, answersChats: true, readsImages: false, callsTools: null },
  });
  const rules = {
    slug: 'mine',
    adapter: 'openai',
    prices: undefined,
    completesTexts: false,
    before: new Map(),
    now: 0,
  } as const;
  const namesOf = (...ids: string[]) =>
    modelDocuments(ids.map(offered), rules).map(({ id, canonical_slug }) => [id, canonical_slug]);

  it('are called without the tag latest too, as Ollama has it, where that means no other', () => {
    expect(namesOf('llama3.2:latest', 'qwen3:8b')).toEqual([
      ['mine/llama3.2:latest', 'mine/llama3.2'],
      ['mine/qwen3:8b', undefined],
    ]);
    expect(namesOf('a:latest', 'a', ':latest')).toEqual([
      ['mine/a:latest', undefined],
      ['mine/a', undefined],
      ['mine/:latest', undefined],
    ]);
    const chosen = chosenModels(['a:1b', 'a:latest'].map(offered), ['a'], 'http://h/v1');
    expect(chosen.models.map(({ id }) => id)).toEqual(['a:latest']);
  });
});

describe('byway provider add', { timeout: 90_000 }, () => {
  it.each(Object.keys(MODELS) as LocalServer[])(
    'adds the models of %s with the length of their contexts, free and without a key, and a chat is answered',
    async (kind) => {
      const env = await emptyInstallation();
      const server = await startLocalServer(kind);
      const added = await run(env, ['provider', 'add', 'mine', '--url', server.url, '--no-key']);
      const [id, contextLength] = MODELS[kind];
      expect(added.document).toMatchObject({
        base_url: `${server.url}/v1`,
        takes_key: false,
        models: [id],
        answered: id,
      });
      const { providers, models } = await exported(env);
      expect(providers[0]).toMatchObject({ slug: 'mine', credential: 'none', origin: 'operator' });
      expect(models[0]).toMatchObject({ id, context_length: contextLength, origin: 'operator' });
      expect(models[0].endpoints[0].pricing).toEqual({ prompt: '0', completion: '0' });
      expect(server.received.some(({ headers }) => headers.authorization !== undefined)).toBe(false);
      const probed = await run(env, ['provider', 'probe', 'mine']);
      expect(probed.document.calls[0]).toMatchObject({ call: 'in one piece', status: 200 });
    },
  );

  it('finds out whether the host completes texts, and leaves alone what the operator has said of that', async () => {
    const env = await emptyInstallation();
    const server = await startLocalServer('vllm');
    const add = () => run(env, ['provider', 'add', 'mine', '--url', server.url, '--no-key']);
    const formats = async () => (await exported(env)).models[0].endpoints[0].formats;
    expect((await add()).code).toBe(0);
    expect(await formats()).toEqual(['chat', 'completions']);
    const file = join(mkdtempSync(join(tmpdir(), 'byway-')), 'catalog.json');
    const catalog = await exported(env);
    catalog.models[0].endpoints[0].formats = ['chat'];
    writeFileSync(file, JSON.stringify(catalog));
    expect((await run(env, ['catalog', 'import', file])).code).toBe(0);
    expect((await add()).code).toBe(0);
    expect(await formats()).toEqual(['chat']);
    server.withoutTexts();
    const other = await run(env, ['provider', 'add', 'other', '--url', server.url, '--no-key']);
    expect(other.document).toMatchObject({ answered: 'other/Llama-3.2-1B-Instruct' });
    const { models } = await exported(env);
    const added = models.find(({ id }: { readonly id: string }) => id.startsWith('other/'));
    expect(added.endpoints[0].formats).toBeUndefined();
  });

  it.each([
    '',
    '/',
    '/v1',
    '/v1/',
    '/v1/chat/completions',
    '/v1/models',
    '/v1/v1',
    '/chat/completions',
    '/api',
    '/api/chat',
    '/api/tags',
  ])('mends an address that ends in "%s"', async (path) => {
    const env = await emptyInstallation();
    const server = await startLocalServer('ollama');
    const added = await run(env, ['provider', 'add', 'mine', '--url', `${server.url}${path}`, '--no-key']);
    expect(added.document).toMatchObject({ base_url: `${server.url}/v1` });
  });

  it('asks the host by the proxy of the environment', async () => {
    const proxy = await startForwardProxy();
    const env = { ...(await emptyInstallation()), HTTP_PROXY: proxy.url };
    const server = await startLocalServer('vllm');
    const added = await run(env, ['provider', 'add', 'mine', '--url', server.url, '--no-key']);
    expect(added.document).toMatchObject({ answered: 'mine/Llama-3.2-1B-Instruct' });
    expect(proxy.requests).toEqual(
      expect.arrayContaining([`GET ${server.url}/v1/models`, `POST ${server.url}/v1/chat/completions`]),
    );
  });

  it('says what is wrong with an address, and then nothing is written', async () => {
    const env = await emptyInstallation();
    const server = await startLocalServer('vllm', KEY);
    const gone = await startLocalServer('vllm');
    gone.close();
    const add = (...args: string[]) => run(env, ['provider', 'add', 'mine', ...args]);
    const said = async (...args: string[]) => {
      const { code, document } = await add(...args);
      expect(code).toBe(1);
      return document.error.message;
    };
    expect(await said('--url', server.url, '--no-key')).toContain('the host wants a key (--key-from-stdin)');
    const reranking = await startRerankHost();
    expect(await said('--url', reranking.origin, '--no-key', '--models', 'reranker')).toContain(
      'rerank are added by "byway catalog import FILE --merge"',
    );
    expect(await said('--url', gone.url, '--no-key')).toMatch(
      /the host refused it \(ECONNREFUSED\); look at host and port of its URL.*; from a container, the machine is host\.docker\.internal$/,
    );
    expect(await said('--url', 'ftp://host', '--no-key')).toContain('must be an http or https URL');
    expect(await said('--url', server.url, '--no-key', '--header', 'Host: x')).toContain('given by base_url');
    expect(await said('--url', server.url, '--no-key', '--price', '1')).toContain(
      'two prices in USD per million',
    );
    expect((await exported(env)).providers).toEqual([]);
  });

  it('with a key leaves models without a price to own keys, until --price or --free says one', async () => {
    const env = await emptyInstallation();
    const server = await startLocalServer('vllm', KEY);
    const add = (...args: string[]) =>
      run(env, ['provider', 'add', 'mine', '--url', server.url, ...args], KEY);
    expect((await add('--key-from-stdin')).document).toMatchObject({
      unpriced: ['mine/Llama-3.2-1B-Instruct'],
    });
    const again = ['provider', 'add', 'mine', '--url', server.url];
    const { stdout } = await inProcess(again, env);
    expect(stdout).toContain('1 of 1 without a price: requests get 404 unless they use own keys (BYOK)');
    expect(stdout).not.toContain('requests may name it now');
    const endpoint = async () => (await exported(env)).models[0].endpoints[0];
    expect(await endpoint()).toMatchObject({ unpriced: true });
    expect((await add('--price', '0.15,0.6')).document).toMatchObject({ unpriced: [], takes_key: true });
    expect(await endpoint()).toMatchObject({ pricing: { prompt: '0.00000015', completion: '0.0000006' } });
    expect((await inProcess(again, env)).stdout).toContain('requests may name it now');
    expect(JSON.stringify(await exported(env, '--secrets'))).not.toContain(KEY);
  });

  it('sends the headers that it is given, stores their values sealed, and shows them to nobody but --secrets', async () => {
    const env = await emptyInstallation();
    const server = await startLocalServer('vllm');
    const header = ['--header', 'CF-Access-Client-Secret: s3cret-0123456789'];
    await run(env, ['provider', 'add', 'mine', '--url', server.url, '--no-key', ...header]);
    const sent = () => server.received.map(({ headers }) => headers['cf-access-client-secret']);
    expect(new Set(sent())).toEqual(new Set(['s3cret-0123456789']));
    const before = sent().length;
    await run(env, ['provider', 'probe', 'mine']);
    expect(sent().length).toBeGreaterThan(before);
    expect(new Set(sent())).toEqual(new Set(['s3cret-0123456789']));
    expect((await exported(env)).providers[0].headers).toEqual({ 'CF-Access-Client-Secret': '(secret)' });
    expect((await exported(env, '--secrets')).providers[0].headers).toEqual({
      'CF-Access-Client-Secret': 's3cret-0123456789',
    });
    expect((await run(env, ['vault', 'rotate'])).document).toMatchObject({
      rewrapped_count: 1,
      unreadable: [],
    });
    expect((await run(env, ['db', 'check'])).code).toBe(0);
  });

  it('sends what is stored for one host to no other', async () => {
    const env = await emptyInstallation();
    const first = await startLocalServer('vllm', KEY);
    const second = await startLocalServer('vllm');
    await run(env, ['provider', 'add', 'mine', '--url', first.url, '--key-from-stdin', '--free'], KEY);
    const moved = await run(env, ['provider', 'add', 'mine', '--url', second.url]);
    expect(moved.document.error.message).toContain('which no other host gets');
    expect(second.received).toEqual([]);
  });

  it('adds again what the host has now, lists it, survives imports, and is removed with all of it', async () => {
    const env = await emptyInstallation();
    const server = await startLocalServer('ollama');
    await run(env, ['catalog', 'import', 'src/catalog/data/default-catalog.json']);
    await run(env, ['provider', 'add', 'mine', '--url', server.url, '--no-key']);
    const again = await run(env, ['provider', 'add', 'mine', '--url', server.url, '--models', 'llama3.2']);
    expect(again.document.error.message).toContain('did you mean llama3.2:1b');
    const list = join(mkdtempSync(join(tmpdir(), 'byway-list-')), 'api.json');
    writeFileSync(list, '{"providers": [], "models": []}');
    await run(env, ['catalog', 'import', list]);
    const { providers, models } = await exported(env);
    expect([providers.length, models.length]).toEqual([1, 1]);
    const listed = await run(env, ['provider', 'list']);
    expect(listed.document.providers).toEqual([
      expect.objectContaining({ slug: 'mine', origin: 'operator', credential: 'none', models: 1 }),
    ]);
    const removed = await run(env, ['provider', 'remove', 'mine']);
    expect(removed.document).toEqual({ provider: 'mine', retired: ['mine/llama3.2:1b'] });
    expect(await exported(env)).toEqual({ providers: [], models: [] });
  });

  it('leaves providers of the catalogue alone', async () => {
    const env = await emptyInstallation();
    const server = await startLocalServer('vllm');
    await run(env, ['catalog', 'import', 'src/catalog/data/default-catalog.json']);
    const added = await run(env, ['provider', 'add', 'groq', '--url', server.url, '--no-key']);
    expect(added.document.error.message).toContain('groq is a provider of the catalogue already');
    expect((await run(env, ['provider', 'remove', 'groq'])).document.error.message).toContain(
      'not one of your own',
    );
    expect(server.received).toEqual([]);
  });
});
