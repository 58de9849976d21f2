import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCatalog } from '../../../src/catalog/importing/import.js';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, type Call, caller, type Row, refused, rowsOf, send } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let use: Call;

const COUNT = 620;
/** Three models per second of creation, so that ties are ordered by id. */
const numbered = Array.from({ length: COUNT }, (_, index) =>
  demoModel(`test/m${String(index).padStart(3, '0')}`, ['demo'], {
    created: 1_700_000_000 + Math.floor(index / 3),
  }),
);
const CATALOG = { providers: [demoProvider('demo')], models: numbered };

beforeAll(async () => {
  gateway = await launchGateway({ catalog: CATALOG });
  use = caller(gateway, gateway.apiKey);
});
afterAll(() => gateway.stop());

const LISTS = ['/models/user', '/models'];
const ids = (rows: readonly Row[]) => rows.map(({ id }) => String(id));
/** Created descending, then id. */
const EXPECTED = numbered
  .map((model) => model as { id: string; created: number })
  .toSorted((a, b) => b.created - a.created || (a.id < b.id ? -1 : 1))
  .map(({ id }) => id);

describe.each(LISTS)('GET %s: paging', (path) => {
  const list = async (query: string) => bodyOf(await use('GET', path + query));
  const page = async (query: string) => {
    const { data, links, total_count, ...others } = await list(query);
    expect([total_count, others, Object.keys(links as Row)]).toEqual([COUNT, { object: 'list' }, ['next']]);
    return { ids: ids(data as Row[]), next: (links as { next: string | null }).next };
  };

  it('both omitted: the full list, newest first, then by id', async () => {
    expect(await page('')).toEqual({ ids: EXPECTED, next: null });
  });

  it.each(['?offset=&limit=', '?offset=null&limit=null', '?offset=', '?limit=null', '?offset&limit'])(
    'empty and null count as omitted: %s',
    async (query) => {
      expect(await page(query)).toEqual({ ids: EXPECTED, next: null });
    },
  );

  it.each<[string, number, number, string | null]>([
    ['?offset=0', 0, 500, 'offset=500&limit=500'],
    ['?offset=100', 100, 600, 'offset=600&limit=500'],
    ['?offset=500', 500, COUNT, null],
    ['?limit=1', 0, 1, 'offset=1&limit=1'],
    ['?limit=1000', 0, COUNT, null],
    ['?limit=620', 0, COUNT, null],
    ['?limit=619', 0, 619, 'offset=619&limit=619'],
    ['?offset=&limit=3', 0, 3, 'offset=3&limit=3'],
    ['?offset=10&limit=null', 10, 510, 'offset=510&limit=500'],
    ['?offset=610&limit=5', 610, 615, 'offset=615&limit=5'],
    ['?offset=615&limit=5', 615, COUNT, null],
    ['?offset=619&limit=1', 619, COUNT, null],
    ['?offset=620', COUNT, COUNT, null],
    ['?offset=1000000', COUNT, COUNT, null],
    ['?offset=99999999999999', COUNT, COUNT, null],
  ])('one given: the other takes its default; links.next is absolute: %s', async (query, from, to, next) => {
    expect(await page(query)).toEqual({
      ids: EXPECTED.slice(from, to),
      next: next === null ? null : `${gateway.rest}${path}?${next}`,
    });
  });

  it('following links.next gives every model once, in order', async () => {
    const seen: string[] = [];
    let url: string | null = `${gateway.rest}${path}?limit=97`;
    while (url !== null) {
      const answer = bodyOf(
        await send(url, 'GET', { headers: { authorization: `Bearer ${gateway.apiKey}` } }),
      );
      seen.push(...ids(answer.data as Row[]));
      url = (answer.links as { next: string | null }).next;
    }
    expect(seen).toEqual(EXPECTED);
  });

  it.each([
    ['?offset=-1', 'offset range'],
    ['?limit=0', 'limit range'],
    ['?limit=-5', 'limit range'],
    ['?limit=1001', 'limit range'],
    ['?offset=one', 'offset type'],
    ['?offset=1.5', 'offset type'],
    ['?limit=1e2', 'limit type'],
    ['?limit=0x10', 'limit type'],
    ['?limit=%2010', 'limit type'],
    ['?limit=true', 'limit type'],
    ['?limit=10&limit=20', 'limit repeated'],
    ['?offset=-1&limit=0', 'offset range', 'limit range'],
    ['?offset=x&limit=y', 'offset type', 'limit type'],
  ])('out of bounds or no integer is 400: %s', async (query, ...violations) => {
    expect(await refused(gateway, () => use('GET', path + query))).toEqual([
      400,
      'invalid_request',
      ...violations,
    ]);
  });

  it.each(['?foo=1', '?limit=2&foo=&foo=2', '?Limit=0&limit=2', '?%ZZ=1&limit=2'])(
    'unknown parameters are ignored: %s',
    async (query) => {
      const shown = query.includes('limit=2') ? EXPECTED.slice(0, 2) : EXPECTED;
      expect((await page(query)).ids).toEqual(shown);
    },
  );
});

describe.each(LISTS)('GET %s: revalidation', (path) => {
  const get = (query: string, ifNoneMatch?: string) =>
    use('GET', path + query, undefined, ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch });

  it('answers 304 without a body where the ETag matches', async () => {
    const { etag } = (await get('?limit=2')).headers;
    expect((await get('?limit=2')).headers.etag).toBe(etag);
    for (const sent of [`${etag}`, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await get('?limit=2', sent);
      expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, '', etag]);
      expect(answer.headers).toMatchObject({
        'cache-control': 'private, no-cache',
        'x-content-type-options': 'nosniff',
      });
    }
    expect((await get('?limit=2', '"other"')).status).toBe(200);
  });

  it('has an ETag per page', async () => {
    const etags = await Promise.all(
      ['', '?limit=1', '?limit=2', '?offset=1&limit=1'].map(async (q) => (await get(q)).headers.etag),
    );
    expect(new Set(etags).size).toBe(4);
  });

  it('requires the credential too', async () => {
    const { etag } = (await get('')).headers;
    const answer = await caller(gateway, 'nonsense')('GET', path, undefined, { 'if-none-match': `${etag}` });
    expect(answer.status).toBe(401);
  });
});

describe.each(LISTS)('GET %s: compression', (path) => {
  const get = (headers: Record<string, string>) =>
    request(`${gateway.url}/api/v1${path}`, {
      headers: { authorization: `Bearer ${gateway.apiKey}`, ...headers },
    });

  it('is gzip for those who take it, with an ETag of its own, and the same list', async () => {
    const plain = await get({});
    const packed = await get({ 'accept-encoding': 'br, gzip' });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding' });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
    const unpacked = gunzipSync(Buffer.from(await packed.body.arrayBuffer())).toString();
    expect(unpacked).toBe(await plain.body.text());
    expect(packed.headers['content-length']).not.toBe(plain.headers['content-length']);
    const again = await get({ 'accept-encoding': 'gzip', 'if-none-match': String(packed.headers.etag) });
    expect([again.statusCode, again.headers.vary]).toEqual([304, 'Accept-Encoding']);
    await again.body.dump();
  });

  it.each(['gzip;q=0', 'identity', 'br'])('is not compressed for %s', async (accepted) => {
    const { headers, body } = await get({ 'accept-encoding': accepted });
    await body.dump();
    expect(headers).not.toHaveProperty('content-encoding');
  });
});

it('a new catalogue is a new list with a new ETag, and retired models are gone', async () => {
  const own = await launchGateway({ catalog: CATALOG });
  try {
    const call = caller(own, own.apiKey);
    const before = await call('GET', '/models/user?limit=5');
    const fewer = { ...CATALOG, models: numbered.slice(0, 3) };
    await importCatalog(own.gateway.stores.catalog, JSON.stringify(fewer), { merge: false });
    const after = await call('GET', '/models/user?limit=5', undefined, {
      'if-none-match': `${before.headers.etag}`,
    });
    expect([after.status, ids(rowsOf(after))]).toEqual([200, ['test/m000', 'test/m001', 'test/m002']]);
    expect((await call('GET', '/models/test/m619/endpoints')).status).toBe(404);
  } finally {
    await own.stop();
  }
});
