import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, type Call, caller, type Row, refusalOf, rowsOf } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let use: Call;

const at = (provider: string, region?: string) => ({
  provider,
  upstream_model_id: 'echo',
  ...(region && { region }),
});

/** Models by region: the endpoint's own, else its provider's, else global. */
const CATALOG = {
  providers: [
    demoProvider('worldwide'),
    demoProvider('european', { regions: ['eu-central-1'] }),
    demoProvider('american', { regions: ['us-east-1', 'us-west-2'] }),
  ],
  models: [
    demoModel('test/eu', [at('worldwide', 'eu')]),
    demoModel('test/eu-west-1', [at('worldwide', 'eu-west-1')]),
    demoModel('test/europe-west4', [at('worldwide', 'europe-west4')]),
    demoModel('test/by-provider', [at('european')]),
    demoModel('test/moved', [at('european', 'us-east-1')]),
    demoModel('test/us', [at('american')]),
    demoModel('test/global', [at('worldwide')]),
    demoModel('test/said-global', [at('worldwide', 'global')]),
    demoModel('test/eureka', [at('worldwide', 'eureka-1')]),
    demoModel(
      'test/both',
      [
        { ...at('worldwide', 'eu-west-1'), pricing: { prompt: '0.000009', completion: '0.000009' } },
        { ...at('american'), pricing: { prompt: '0.000001', completion: '0.000001' } },
      ],
      { pricing: undefined },
    ),
    { id: '~test/latest', name: 'Latest', alias_target: { slug: 'test/us' } },
  ],
};
const EUROPEAN = ['test/both', 'test/by-provider', 'test/eu', 'test/eu-west-1', 'test/europe-west4'];
const AMERICAN = ['test/both', 'test/moved', 'test/us', '~test/latest'];
const ALL = CATALOG.models.map((model) => String((model as Row).id)).toSorted();

beforeAll(async () => {
  gateway = await launchGateway({
    catalog: CATALOG,
    env: { BYWAY_REGION_HOSTS: 'eu.example.com=eu,us.example.com=us' },
  });
  use = caller(gateway, gateway.apiKey);
});
afterAll(() => gateway.stop());

async function listedOn(host: string, path = '/models/user'): Promise<string[]> {
  return rowsOf(await use('GET', path, undefined, { host }))
    .map(({ id }) => String(id))
    .toSorted();
}

describe('GET /models/user on a regional host', () => {
  it.each([
    ['eu.example.com', EUROPEAN],
    ['EU.Example.COM', EUROPEAN],
    ['eu.example.com:8443', EUROPEAN],
    ['us.example.com', AMERICAN],
    ['example.com', ALL],
    ['eu.example.com.evil.example', ALL],
    ['xeu.example.com', ALL],
    ['127.0.0.1', ALL],
  ])('%s lists %j', async (host, models) => {
    expect(await listedOn(host)).toEqual(models);
  });

  it('total_count counts the visible models, which are paged', async () => {
    const answer = bodyOf(await use('GET', '/models/user?limit=2', undefined, { host: 'eu.example.com' }));
    expect([answer.total_count, (answer.data as Row[]).length]).toEqual([EUROPEAN.length, 2]);
    expect(answer.links).toEqual({ next: 'http://eu.example.com/api/v1/models/user?offset=2&limit=2' });
  });

  it('the price comes from the visible endpoints', async () => {
    const priceOn = async (host: string) => {
      const rows = rowsOf(await use('GET', '/models/user', undefined, { host }));
      return rows.find(({ id }) => id === 'test/both')?.pricing;
    };
    expect(await priceOn('eu.example.com')).toEqual({ prompt: '0.000009', completion: '0.000009' });
    expect(await priceOn('us.example.com')).toEqual({ prompt: '0.000001', completion: '0.000001' });
    expect(await priceOn('example.com')).toEqual({ prompt: '0.000001', completion: '0.000001' });
  });

  it('each host has an ETag of its own', async () => {
    const etagOn = async (host: string) =>
      (await use('GET', '/models/user', undefined, { host })).headers.etag;
    const etags = await Promise.all(['eu.example.com', 'us.example.com', 'example.com'].map(etagOn));
    expect(new Set(etags).size).toBe(3);
    const stale = { host: 'eu.example.com', 'if-none-match': `${etags[1]}` };
    expect((await use('GET', '/models/user', undefined, stale)).status).toBe(200);
  });

  it('GET /models is unfiltered on any host', async () => {
    for (const host of ['eu.example.com', 'us.example.com', 'example.com']) {
      expect(await listedOn(host, '/models')).toEqual(ALL);
    }
  });
});

describe('a regional host serves exactly what it lists', () => {
  it.each(['eu.example.com', 'us.example.com', 'example.com'])('%s', async (host) => {
    const listed = new Set(await listedOn(host));
    for (const model of ALL) {
      const body = { model, messages: [{ role: 'user', content: 'Hello' }] };
      const answer = await use('POST', '/chat/completions', body, { host });
      if (listed.has(model)) {
        expect([model, answer.status]).toEqual([model, 200]);
      } else {
        expect([model, ...refusalOf(answer)]).toEqual([model, 404, 'no_endpoint']);
        const { metadata } = bodyOf(answer).error as { metadata: Row };
        expect(metadata.reasons).toEqual({ region: 1 });
      }
    }
  });

  it('test/both is served in the region only by endpoints there', async () => {
    const body = { model: 'test/both', messages: [{ role: 'user', content: 'Hello' }] };
    const providerOn = async (host: string) =>
      bodyOf(await use('POST', '/chat/completions', body, { host })).provider;
    expect(await providerOn('eu.example.com')).toBe('worldwide');
    expect(await providerOn('us.example.com')).toBe('american');
  });
});

describe('links.next is absolute', () => {
  const nextOf = async (call: Call, host: string) =>
    (bodyOf(await call('GET', '/models?limit=1', undefined, { host })).links as { next: string }).next;

  it('from the scheme and Host of the request', async () => {
    for (const host of ['example.com', 'example.com:1234', '[::1]:8080']) {
      expect(await nextOf(use, host)).toBe(`http://${host}/api/v1/models?offset=1&limit=1`);
    }
  });

  it('or from BYWAY_PUBLIC_URL', async () => {
    const own = await launchGateway({
      catalog: CATALOG,
      env: { BYWAY_PUBLIC_URL: 'https://gateway.example/base/' },
    });
    try {
      const next = await nextOf(caller(own, own.apiKey), 'elsewhere.example');
      expect(next).toBe('https://gateway.example/base/api/v1/models?offset=1&limit=1');
    } finally {
      await own.stop();
    }
  });
});
