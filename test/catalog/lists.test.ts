import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importCatalog } from '../../src/catalog/importing/import.js';
import { formatNative } from '../../src/catalog/native/native.js';
import { createCatalogStore } from '../../src/store/tables/catalog-store.js';
import { withDatabase } from '../support/database.js';
import { fixture, violationsOf } from './catalog.fixture.js';

const LIST = fixture('models-dev.json');
const CLOCK = { now: () => 1_800_000_000_000 };
const MERGE = { merge: true };
const WHOLE = { merge: false };

async function openStore() {
  return createCatalogStore(await withDatabase(), CLOCK);
}

type Store = Awaited<ReturnType<typeof openStore>>;

async function providerIn(store: Store, slug: string) {
  return (await store.load()).providers.find((one) => one.slug === slug);
}

async function modelIn(store: Store, id: string) {
  return (await store.load()).models.find((one) => one.id === id);
}

/** The list with other prices, and another address of one provider. */
function newerList(): string {
  const list = JSON.parse(LIST);
  list['novita-ai'].api = 'https://elsewhere.example/v1';
  list.openai.models['gpt-5.4'].cost.input = 77;
  return JSON.stringify(list);
}

describe('what the operator has set stays, whatever is imported', () => {
  const own = {
    providers: [
      {
        slug: 'openai',
        name: 'OpenAI',
        adapter: 'openai',
        base_url: 'https://proxy.acme.example/v1',
        data_policy: { zdr: true, data_collection: false },
      },
    ],
    models: [],
  };

  it.each([MERGE, WHOLE])('a list changes no member of a provider (%o)', async (options) => {
    const store = await openStore();
    await importCatalog(store, LIST, WHOLE);
    await importCatalog(store, JSON.stringify(own), MERGE);
    const before = (await store.load()).providers;
    const summary = await importCatalog(store, newerList(), options);
    expect((await store.load()).providers).toEqual(before);
    expect(
      (await modelIn(store, 'openai/gpt-5.4'))?.endpoints.map(({ pricing }) => pricing?.prices.prompt),
    ).toContain('0.000077');
    const kept = summary.kept?.flatMap(({ name, members }) =>
      members.map(({ member }) => `${name} ${member}`),
    );
    expect(kept).toContain('novita base_url');
    const changed = summary.changed?.flatMap(({ name, members }) =>
      members.map(({ member }) => `${name} ${member}`),
    );
    expect(changed).toContain('openai/gpt-5.4 at openai (gpt-5.4) pricing.prompt');
  });

  it('a native file that does not name them leaves them, and null clears them', async () => {
    const store = await openStore();
    await importCatalog(store, LIST, WHOLE);
    await importCatalog(store, JSON.stringify(own), MERGE);
    const bare = { providers: [{ slug: 'openai', name: 'OpenAI', adapter: 'openai' }], models: [] };
    await importCatalog(store, JSON.stringify(bare), MERGE);
    expect(await providerIn(store, 'openai')).toMatchObject({
      baseUrl: 'https://proxy.acme.example/v1',
      dataPolicy: { zdr: true, dataCollection: false },
    });
    const [provider] = bare.providers;
    const cleared = { providers: [{ ...provider, base_url: null }], models: [] };
    const { changed } = await importCatalog(store, JSON.stringify(cleared), MERGE);
    expect(changed).toEqual([
      {
        entry: 'provider',
        name: 'openai',
        members: [{ member: 'base_url', from: 'https://proxy.acme.example/v1', to: null }],
      },
    ]);
  });

  it('prices, a model and an alias that were merged survive lists, whole and merged, and an export', async () => {
    const store = await openStore();
    await importCatalog(store, LIST, WHOLE);
    const whole = JSON.parse(formatNative(await store.load()));
    const gpt = whole.models.find(({ id }: { id: string }) => id === 'openai/gpt-5.4');
    for (const endpoint of gpt.endpoints) endpoint.pricing = { prompt: '1', completion: '2' };
    const mine = { ...gpt, id: 'acme/gpt', canonical_slug: 'acme/gpt' };
    const alias = { id: '~acme/best', alias_target: { slug: 'acme/gpt' } };
    await importCatalog(store, JSON.stringify({ providers: [], models: [gpt, mine, alias] }), MERGE);
    const before = [await modelIn(store, 'openai/gpt-5.4'), await modelIn(store, 'acme/gpt')];
    for (const options of [MERGE, WHOLE]) await importCatalog(store, newerList(), options);
    await importCatalog(store, formatNative(await store.load(), true), WHOLE);
    expect([await modelIn(store, 'openai/gpt-5.4'), await modelIn(store, 'acme/gpt')]).toEqual(before);
    expect((await modelIn(store, '~acme/best'))?.aliasTarget).toBe('acme/gpt');
    expect((await store.load()).own).toEqual(new Set(['openai/gpt-5.4', 'acme/gpt', '~acme/best']));
  });

  it('how an endpoint is judged and called stays, and a disabled one is not enabled', async () => {
    const store = await openStore();
    await importCatalog(store, LIST, WHOLE);
    const whole = JSON.parse(formatNative(await store.load()));
    const gpt = whole.models.find(({ id }: { id: string }) => id === 'openai/gpt-5.4');
    Object.assign(gpt.endpoints[0], { status: 'disabled', data_policy: { zdr: true }, is_moderated: true });
    await importCatalog(store, JSON.stringify(whole), WHOLE);
    await importCatalog(store, newerList(), WHOLE);
    expect((await modelIn(store, 'openai/gpt-5.4'))?.endpoints[0]).toMatchObject({
      status: 'disabled',
      dataPolicy: { zdr: true },
      isModerated: true,
    });
  });
});

/** Values that have no place in a list, or are out of bounds in most of its members. */
const BAD = fc.constantFrom<unknown>(
  -1,
  1e300,
  '1e9',
  'many',
  '',
  true,
  null,
  [],
  [null],
  {},
  { input: -1 },
  'x'.repeat(20_000),
  Array.from({ length: 200 }, () => 'text'),
  ['hologram'],
  'constructor',
  '__proto__',
  '2026-13-45',
);

/** Paths of every member of a value. */
function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...path, name]))];
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...value]
    : { ...(value as object) };
  const members = copy as Record<string, unknown>;
  members[name] = replaced(members[name], rest, by);
  return copy;
}

describe('bad entries of a list are left out, counted and named; the rest is imported', () => {
  const list = JSON.parse(LIST);
  const paths = pathsOf(list).filter((path) => path.length > 1);

  it('whichever member is bad', async () => {
    const store = await openStore();
    await importCatalog(store, LIST, WHOLE);
    const count = (await store.load()).models.length;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), BAD, async (path, bad) => {
        const summary = await importCatalog(store, JSON.stringify(replaced(list, path, bad)), WHOLE);
        const after = await store.load();
        expect(summary.models).toBeGreaterThan(0);
        expect(after.models.length).toBeGreaterThan(count / 2);
        for (const { provider, field } of summary.invalid?.first ?? []) {
          expect(provider).not.toBe('');
          expect(field).toContain(path[0]);
        }
        await importCatalog(store, LIST, WHOLE);
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  it('a bad price names the model, whose stored endpoint stays as it was', async () => {
    const store = await openStore();
    await importCatalog(store, LIST, WHOLE);
    const before = await modelIn(store, 'openai/gpt-5.4');
    for (const input of [-1, 50_000, 'free', null]) {
      const broken = JSON.parse(LIST);
      broken.openai.models['gpt-5.4'].cost.input = input;
      const { invalid } = await importCatalog(store, JSON.stringify(broken), WHOLE);
      expect(invalid).toMatchObject({
        count: 1,
        first: [{ provider: 'openai', model: 'gpt-5.4', field: 'openai.models["gpt-5.4"].cost.input' }],
      });
      expect((await modelIn(store, 'openai/gpt-5.4'))?.endpoints).toEqual(before?.endpoints);
    }
  });

  it('ids that stand twice are taken once', async () => {
    const store = await openStore();
    const doubled = JSON.parse(LIST);
    doubled.other = doubled.openai;
    doubled.anthropic.models.again = Object.values(doubled.anthropic.models)[0];
    const { invalid } = await importCatalog(store, JSON.stringify(doubled), WHOLE);
    expect(invalid?.first.map(({ rule }) => rule)).toEqual(['duplicate', 'duplicate']);
  });

  it('a list of which nothing can be taken is refused, and so is one bad entry of a native file', async () => {
    const store = await openStore();
    await importCatalog(store, LIST, WHOLE);
    const before = await store.load();
    expect(await violationsOf(() => importCatalog(store, '{"a": {"npm": 1}}', WHOLE))).toEqual([
      ['', 'empty'],
    ]);
    const native = JSON.parse(formatNative(before));
    native.models[0].endpoints[0].pricing = { prompt: -1, completion: 0 };
    expect(await violationsOf(() => importCatalog(store, JSON.stringify(native), WHOLE))).toHaveLength(1);
    expect(await store.load()).toEqual(before);
  });
});

describe('headers of a provider', () => {
  const file = (headers: object, more: object = {}) =>
    JSON.stringify({
      providers: [
        { slug: 'acme', name: 'Acme', adapter: 'openai', base_url: 'https://a.example/v1', headers, ...more },
      ],
      models: [],
    });
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, 'v']));

  it.each([
    ['Host', { Host: 'x' }, 'reserved_header'],
    ['a hop-by-hop name', { 'Transfer-Encoding': 'chunked' }, 'reserved_header'],
    ['Content-*', { 'content-language': 'de' }, 'reserved_header'],
    ['Authorization', { AUTHORIZATION: 'Bearer x' }, 'reserved_header'],
    ['x-api-key', { 'X-Api-Key': 'x' }, 'reserved_header'],
    ['api-key', { 'api-key': 'x' }, 'reserved_header'],
    ['what the adapter sets', { 'anthropic-version': 'x' }, 'reserved_header'],
    ['a name with a blank', { 'a b': 'x' }, 'header_name'],
    ['a line break in a value', { 'X-A': 'a\r\nX-B: b' }, 'header_value'],
    ['one name twice', { 'X-A': 'a', 'x-a': 'b' }, 'duplicate'],
    ['more than 20', many, 'too_many'],
    ['more than 4 KiB', { 'X-A': 'a'.repeat(4095) }, 'too_long'],
    ['a value that is not stored', { 'X-A': '(secret)' }, 'secret'],
  ])('are refused: %s', async (_, headers, rule) => {
    const store = await openStore();
    const sealHeader = () => ({
      ciphertext: Buffer.alloc(1),
      wrappedDataKey: Buffer.alloc(1),
      masterKeyId: 'k',
    });
    const options = { ...WHOLE, sealHeader };
    const violations = await violationsOf(() => importCatalog(store, file(headers), options));
    expect(violations.map(([, one]) => one)).toEqual([rule]);
    expect((await store.load()).providers).toEqual([]);
  });

  it('need a base_url whose host no credential fills', async () => {
    const store = await openStore();
    for (const base_url of [null, 'https://{resource}.example/v1']) {
      const text = file({ 'X-A': '(secret)' }, { base_url });
      const violations = await violationsOf(() => importCatalog(store, text, WHOLE));
      expect(violations).toContainEqual(['providers[0].headers', 'base_url']);
    }
  });
});
