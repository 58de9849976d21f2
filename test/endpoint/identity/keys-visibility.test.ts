import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { type Answer, bodyOf, type Call, caller, recordOf, refused, rowsOf } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;
let foreign: Awaited<ReturnType<typeof gateway.addAccount>>;

beforeAll(async () => {
  gateway = await launchGateway();
  manage = caller(gateway, gateway.managementKey);
  foreign = await gateway.addAccount();
});
afterAll(() => gateway.stop());

async function newClient(): Promise<{ id: string; call: Call; secret: string }> {
  const { data, client_secret: secret } = bodyOf(await manage('POST', '/clients', { name: 'App' }));
  return {
    id: String((data as { id: string }).id),
    secret: String(secret),
    call: caller(gateway, String(secret)),
  };
}

async function newKey(call: Call, name = 'n'): Promise<{ hash: string; secret: string }> {
  const { data, key } = bodyOf(await call('POST', '/keys', { name }));
  return { hash: (data as { hash: string }).hash, secret: String(key) };
}

/** The answer without its request id and time. */
function summaryOf({ status, headers, text }: Answer) {
  const ofTheMoment = /^(x-request-id|date|x-ratelimit-(remaining|reset))$/;
  const others = Object.entries(headers).filter(([name]) => !ofTheMoment.test(name));
  return { status, headers: Object.fromEntries(others), text };
}

const UNKNOWN = 'f'.repeat(64);
const OPERATIONS: readonly [method: string, body?: object][] = [
  ['GET'],
  ['PATCH', { name: 'Taken' }],
  ['PATCH', { disabled: true }],
  ['PATCH', {}],
  ['DELETE'],
];

describe('a client secret reaches only keys that the same client created', () => {
  let client: Awaited<ReturnType<typeof newClient>>;
  let others: Record<string, string>;

  beforeEach(async () => {
    client = await newClient();
    const deleted = await newKey(client.call);
    await client.call('DELETE', `/keys/${deleted.hash}`);
    others = {
      "the account's": gateway.apiKeyHash,
      "another client's": (await newKey((await newClient()).call)).hash,
      "another account's": foreign.apiKeyHash,
      'a deleted one of its own': deleted.hash,
      'a malformed hash': 'nonsense',
      'a hash in upper case': gateway.apiKeyHash.toUpperCase(),
    };
  });

  it('and may do everything with those', async () => {
    const { hash, secret } = await newKey(client.call, 'Own');
    expect(rowsOf(await client.call('GET', '/keys')).map((row) => row.hash)).toEqual([hash]);
    expect(recordOf(await client.call('GET', `/keys/${hash}`)).name).toBe('Own');
    expect(recordOf(await client.call('PATCH', `/keys/${hash}`, { limit: 3 })).limit).toBe(3);
    expect((await caller(gateway, secret)('GET', '/key')).status).toBe(200);
    expect(bodyOf(await client.call('DELETE', `/keys/${hash}`))).toEqual({ deleted: true });
    expect((await client.call('GET', `/keys/${hash}`)).status).toBe(404);
  });

  it.each(OPERATIONS)(
    '%s %j answers for any other key byte for byte like for one that does not exist',
    async (method, body) => {
      const unknown = await client.call(method, `/keys/${UNKNOWN}`, body);
      expect(unknown.status).toBe(404);
      for (const [whose, hash] of Object.entries(others)) {
        const answer = await client.call(method, `/keys/${hash}`, body);
        expect([whose, summaryOf(answer)]).toEqual([whose, summaryOf(unknown)]);
        const refusal = await refused(gateway, () => client.call(method, `/keys/${hash}`, body));
        expect([whose, refusal]).toEqual([whose, [404, 'not_found']]);
      }
    },
  );

  it('and a list shows no others, whatever its parameters', async () => {
    for (const query of [
      '',
      '?include_disabled=true',
      `?workspace_id=${gateway.workspaceId}`,
      '?limit=100',
    ]) {
      expect(bodyOf(await client.call('GET', `/keys${query}`))).toEqual({ data: [], total_count: 0 });
    }
  });

  it('while the management key of the account reaches them all', async () => {
    const { hash } = await newKey(client.call, 'Own');
    const listed = rowsOf(await manage('GET', '/keys?limit=100')).map((row) => row.hash);
    expect(listed).toEqual(expect.arrayContaining([hash, gateway.apiKeyHash]));
    expect((await manage('PATCH', `/keys/${hash}`, { name: 'Renamed' })).status).toBe(200);
    expect(recordOf(await client.call('GET', `/keys/${hash}`)).name).toBe('Renamed');
  });

  it('and, deleted, leaves its keys disabled and its secret without effect', async () => {
    const { hash, secret } = await newKey(client.call);
    expect(bodyOf(await manage('DELETE', `/clients/${client.id}`))).toEqual({ deleted: true });
    expect((await client.call('GET', '/keys')).status).toBe(401);
    expect((await caller(gateway, secret)('GET', '/models/user')).status).toBe(401);
    expect(recordOf(await manage('GET', `/keys/${hash}`)).disabled).toBe(true);
    expect(rowsOf(await manage('GET', '/clients')).map((row) => row.id)).not.toContain(client.id);
    expect(await refused(gateway, () => manage('DELETE', `/clients/${client.id}`))).toEqual([
      404,
      'not_found',
    ]);
  });
});

describe('a management key reaches only its account', () => {
  it.each(OPERATIONS)(
    '%s %j answers for a foreign key byte for byte like for one that does not exist',
    async (method, body) => {
      const unknown = await manage(method, `/keys/${UNKNOWN}`, body);
      const answer = await manage(method, `/keys/${foreign.apiKeyHash}`, body);
      expect(summaryOf(answer)).toEqual(summaryOf(unknown));
      const refusal = await refused(gateway, () => manage(method, `/keys/${foreign.apiKeyHash}`, body));
      expect(refusal).toEqual([404, 'not_found']);
    },
  );

  it.each([
    'short',
    'g'.repeat(64),
    'A'.repeat(64),
    'a'.repeat(63),
    'a'.repeat(65),
    '%20',
    '%00',
    '..%2f..',
    `${'a'.repeat(64)}%0a`,
  ])('a malformed hash names no key: 404 for %s', async (hash) => {
    for (const [method, body] of OPERATIONS) {
      expect(await refused(gateway, () => manage(method, `/keys/${hash}`, body))).toEqual([404, 'not_found']);
    }
  });
});

describe('GET /keys', () => {
  it('is ordered by creation, then hash; offset and limit page it, but not total_count', async () => {
    const account = await gateway.addAccount();
    const call = caller(gateway, account.managementKey);
    for (let index = 0; index < 7; index++) await newKey(call, `Key ${index}`);
    const all = rowsOf(await call('GET', '/keys'));
    const sorted = all.toSorted((a, b) =>
      `${a.created_at} ${a.hash}` < `${b.created_at} ${b.hash}` ? -1 : 1,
    );
    expect([all.length, all]).toEqual([8, sorted]);
    const page = bodyOf(await call('GET', '/keys?offset=2&limit=3'));
    expect(page).toEqual({ data: all.slice(2, 5), total_count: 8 });
    expect(bodyOf(await call('GET', '/keys?offset=8'))).toEqual({ data: [], total_count: 8 });
  });

  it('omits disabled keys unless requested', async () => {
    const account = await gateway.addAccount();
    const call = caller(gateway, account.managementKey);
    const { hash } = await newKey(call);
    await call('PATCH', `/keys/${hash}`, { disabled: true });
    const hashes = async (query: string) => rowsOf(await call('GET', `/keys${query}`)).map((row) => row.hash);
    expect(await hashes('')).toEqual([account.apiKeyHash]);
    expect(await hashes('?include_disabled=false')).toEqual([account.apiKeyHash]);
    expect(new Set(await hashes('?include_disabled=true'))).toEqual(new Set([account.apiKeyHash, hash]));
  });

  it.each([
    ['?limit=0', 'limit range'],
    ['?limit=101', 'limit range'],
    ['?offset=-1', 'offset range'],
    ['?limit=ten', 'limit type'],
    ['?limit=1.5', 'limit type'],
    ['?include_disabled=1', 'include_disabled type'],
    ['?include_disabled=TRUE', 'include_disabled type'],
    ['?workspace_id=nowhere', 'workspace_id known'],
    ['?workspace=x', 'workspace unknown'],
    ['?limit=1&limit=2', 'limit repeated'],
  ])('refuses %s with %s', async (query, violation) => {
    expect(await refused(gateway, () => manage('GET', `/keys${query}`))).toEqual([
      400,
      'invalid_request',
      violation,
    ]);
  });

  it('refuses a foreign workspace as an unknown one', async () => {
    const call = () => manage('GET', `/keys?workspace_id=${foreign.workspaceId}`);
    expect(await refused(gateway, call)).toEqual([400, 'invalid_request', 'workspace_id known']);
  });
});

describe('GET /key', () => {
  it("answers with the caller's own record, and what OpenRouter's SDK demands beside it", async () => {
    const own = recordOf(await caller(gateway, gateway.apiKey)('GET', '/key'));
    expect(own).toEqual({
      ...recordOf(await manage('GET', `/keys/${gateway.apiKeyHash}`)),
      allowed_data_regions: ['global'],
      free_model_daily_requests: { limit: 0, remaining: 0, used: 0 },
      is_free_tier: false,
      is_management_key: false,
      is_provisioning_key: false,
      organization_id: null,
      rate_limit: { interval: '', note: '', requests: -1 },
    });
  });
});

describe('DELETE /keys/{hash}', () => {
  it('answers {"deleted": true} once, then 404, and the key is in no list', async () => {
    const { hash, secret } = await newKey(manage);
    const deleted = await manage('DELETE', `/keys/${hash}`);
    expect([deleted.status, bodyOf(deleted)]).toEqual([200, { deleted: true }]);
    expect(await refused(gateway, () => manage('DELETE', `/keys/${hash}`))).toEqual([404, 'not_found']);
    expect(await refused(gateway, () => caller(gateway, secret)('GET', '/key'))).toEqual([
      401,
      'invalid_api_key',
    ]);
    const listed = rowsOf(await manage('GET', '/keys?include_disabled=true&limit=100'));
    expect(listed.map((row) => row.hash)).not.toContain(hash);
  });
});
