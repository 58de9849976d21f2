import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ActivitySchema } from '../../../gen/byway/v1/accounts_pb.js';
import { csvRecords, readCsv } from '../../support/csv.js';
import { launchGateway, startGateway } from '../../support/gateway.js';
import { addGenerations } from '../../support/many-generations.js';
import { withoutNeutral } from '../../support/neutral.js';
import { bodyOf, type Call, caller, type Row, recordOf, refused, rowsOf } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;

beforeAll(async () => {
  gateway = await launchGateway({ env: { BYWAY_ADMIN_RATE_PER_MINUTE: '0' } });
  manage = caller(gateway, gateway.managementKey);
});
afterAll(() => gateway.stop());

const chat = async (call: Call, body: object = {}) => {
  const messages = [{ role: 'user', content: 'Hello' }];
  return String(bodyOf(await call('POST', '/chat/completions', { model: 'test/m1', messages, ...body })).id);
};
const linesOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row);

/** A gateway of its own, with so many generations. */
async function gatewayWith(count: number) {
  const started = await startGateway({ env: { BYWAY_ADMIN_RATE_PER_MINUTE: '0' } });
  await addGenerations(started.gateway.database, count, started);
  return { ...started, call: caller(started, started.managementKey) };
}

describe('GET /generations/export', () => {
  it('is every record as the list has it, oldest first, as JSON lines or CSV', async () => {
    const account = await gateway.addAccount();
    const [call, own] = [caller(gateway, account.managementKey), caller(gateway, account.apiKey)];
    for (const body of [{}, { session_id: '=1+1,"x"' }, { session_id: '-2' }, { model: 'test/m2' }]) {
      await chat(own, body);
    }
    const listed = rowsOf(await call('GET', '/generations')).toReversed();
    const lines = await call('GET', '/generations/export');
    expect(linesOf(lines.text).toSorted(byId)).toEqual(listed.toSorted(byId));
    const instants = linesOf(lines.text).map(({ created_at }) => String(created_at));
    expect(instants).toEqual(instants.toSorted());
    expect(lines.headers).toMatchObject({
      'content-type': 'application/jsonl',
      'content-disposition': 'attachment; filename="generations.jsonl"',
      'cache-control': 'no-store, no-transform',
    });
    expect((await call('GET', '/generations/export?format=jsonl')).text).toBe(lines.text);

    const csv = await call('GET', '/generations/export?format=csv');
    expect(csv.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="generations.csv"',
    });
    const guarded = (text: string) => (/^[=-]/.test(text) ? `'${text}` : text);
    const asText = (value: unknown) => {
      if (typeof value === 'string') return guarded(value);
      return value === null ? '' : JSON.stringify(value);
    };
    expect(csvRecords(csv.text)).toEqual(
      linesOf(lines.text).map((record) =>
        Object.fromEntries(Object.entries(record).map(([name, value]) => [name, asText(value)])),
      ),
    );
    const sessions = csvRecords(csv.text).map(({ session_id }) => session_id);
    expect(sessions.toSorted()).toEqual(['', '', '\'=1+1,"x"', "'-2"].toSorted());
  });

  it('has the filters of the list, and is of one account', async () => {
    const own = await gatewayWith(250);
    const { call } = own;
    const ids = async (query: string) =>
      linesOf((await call('GET', `/generations/export?${query}`)).text).map(({ id }) => id);
    const all = await ids('');
    expect(new Set(all).size).toBe(250);
    for (const query of ['model=test/m1,test/m3', 'status=ok', 'status=failed', 'is_byok=true']) {
      const listed: unknown[] = [];
      for (const offset of [0, 100, 200]) {
        listed.push(
          ...rowsOf(await call('GET', `/generations?limit=100&offset=${offset}&${query}`)).map(
            ({ id }) => id,
          ),
        );
      }
      expect([query, await ids(query)]).toEqual([query, listed.toReversed()]);
    }
    expect(await ids(`api_key_hash=${own.apiKeyHash}&from=2020-01-01T00:00:00Z`)).toEqual(all);
    expect(await ids('to=2020-01-01T00:00:00Z')).toEqual([]);
    const other = await own.addAccount();
    const ofOther = caller(own, other.managementKey);
    for (const query of ['', `?api_key_hash=${own.apiKeyHash}`]) {
      expect((await ofOther('GET', `/generations/export${query}`)).text).toBe('');
    }
  });

  it('without any record is empty, and CSV its header', async () => {
    const { managementKey } = await gateway.addAccount();
    const call = caller(gateway, managementKey);
    expect((await call('GET', '/generations/export')).text).toBe('');
    const [header, ...rows] = readCsv((await call('GET', '/generations/export?format=csv')).text);
    expect(header).toContain('id');
    expect(rows).toEqual([]);
    const head = await call('HEAD', '/generations/export?format=csv');
    expect([head.status, head.headers['content-type'], head.text]).toEqual([
      200,
      'text/csv; charset=utf-8',
      '',
    ]);
  });

  it('answers HEAD without records', async () => {
    const account = await gateway.addAccount();
    await chat(caller(gateway, account.apiKey));
    const call = caller(gateway, account.managementKey);
    const { status, headers, text } = await call('HEAD', '/generations/export');
    expect([status, headers['content-type'], text]).toEqual([200, 'application/jsonl', '']);
  });

  it.each([
    ['?format=xml', 'format enum'],
    ['?format=csv&format=csv', 'format repeated'],
    ['?limit=5', 'limit unknown'],
    ['?cursor=x', 'cursor unknown'],
    ['?status=good&from=x', 'from timestamp', 'status in'],
    ['?workspace_id=none', 'workspace_id known'],
  ])('%s is 400', async (query, ...violations) => {
    const answer = () => manage('GET', `/generations/export${query}`);
    expect(await refused(gateway, answer)).toEqual([400, 'invalid_request', ...violations]);
  });

  it('names the formats that there are', async () => {
    const { text } = await manage('GET', '/generations/export?format=xml');
    expect(text).toMatch(/jsonl.*csv/);
  });

  it('is not for API keys', async () => {
    const answer = await caller(gateway, gateway.apiKey)('GET', '/generations/export');
    expect([answer.status, answer.headers['content-disposition']]).toEqual([403, undefined]);
  });

  it('has all records once that were there when it began, while others come', async () => {
    const { call, apiKey, rest } = await gatewayWith(1_000);
    const own = caller({ rest }, apiKey);
    const before = (await exportedIds(call)).toSorted();
    let isOver = false;
    const chatting = (async () => {
      while (!isOver) await chat(own);
    })();
    for (let round = 0; round < 5; round++) {
      const ids = await exportedIds(call);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => id.startsWith('gen-many-')).toSorted()).toEqual(before);
    }
    isOver = true;
    await chatting;
  }, 60_000);
});

const byId = (a: Row, b: Row) => (String(a.id) < String(b.id) ? -1 : 1);

async function exportedIds(call: Call): Promise<string[]> {
  return linesOf((await call('GET', '/generations/export')).text).map(({ id }) => String(id));
}

describe('Accept: text/csv on GET /activity', () => {
  it('is the same page with a column for each member of its rows', async () => {
    const account = await gateway.addAccount();
    const [call, own] = [caller(gateway, account.managementKey), caller(gateway, account.apiKey)];
    for (const model of ['test/m1', 'test/m2']) await chat(own, { model });
    for (const query of ['', '?group_by=hour,user', '?limit=1', '?group_by=date']) {
      const [json, csv] = await Promise.all(
        ['application/json', 'text/csv'].map((accept) =>
          call('GET', `/activity${query}`, undefined, { accept }),
        ),
      );
      const rows = rowsOf(json ?? expect.fail()).map((row) => withoutNeutral(ActivitySchema, row));
      expect(csv?.headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8', vary: 'Accept' });
      expect(readCsv(csv?.text ?? '')[0]).toEqual(Object.keys(rows[0] ?? {}));
      expect(csvRecords(csv?.text ?? '')).toEqual(
        rows.map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? '')])),
        ),
      );
    }
  });

  it('is JSON for everybody else, and for errors', async () => {
    const get = (accept: string | undefined, query = '') =>
      manage('GET', `/activity${query}`, undefined, accept === undefined ? {} : { accept });
    for (const accept of [undefined, '*/*', 'text/csv;q=0.5, application/json']) {
      const { headers } = await get(accept);
      expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', vary: 'Accept' });
    }
    const broken = await get('text/csv', '?limit=0');
    expect([broken.status, broken.headers['content-type']]).toEqual([400, 'application/json; charset=utf-8']);
    expect(recordOf(await manage('GET', '/credits', undefined, { accept: 'text/csv' }))).toBeDefined();
  });
});
