import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { listed } from '../../support/neutral.js';
import { type Answer, bodyOf, type Call, caller, recordOf, refused, rowsOf } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;
let use: Call;

beforeAll(async () => {
  gateway = await launchGateway();
  manage = caller(gateway, gateway.managementKey);
  use = caller(gateway, gateway.apiKey);
});
afterAll(() => gateway.stop());

const chat = (call: Call, body: object = {}) =>
  call('POST', '/chat/completions', {
    model: 'test/m1',
    messages: [{ role: 'user', content: 'Hello' }],
    ...body,
  });
const idOf = (answer: Answer) => String(answer.headers['x-generation-id']);

async function newKey(): Promise<{ hash: string; call: Call }> {
  const { data, key } = bodyOf(await manage('POST', '/keys', { name: 'n' }));
  return { hash: (data as { hash: string }).hash, call: caller(gateway, String(key)) };
}

describe('GET /generation', () => {
  it('shows a chat with every member', async () => {
    const answer = await chat(use, {});
    const read = await use('GET', `/generation?id=${idOf(answer)}`);
    expect({ data: listed(recordOf(read)) }).toEqual({
      data: {
        id: idOf(answer),
        api: 'chat',
        cached: false,
        ...{ api_type: 'completions', external_user: null, total_cost: expect.any(Number) },
        ...{ native_tokens_prompt: 1, native_tokens_completion: expect.any(Number) },
        lane: null,
        omitted: [],
        counted_by: 'provider',
        excluded_counts: {},
        session_id: null,
        model: 'test/m1',
        provider: 'a',
        provider_name: 'Provider a',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        streamed: false,
        cancelled: false,
        finish_reason: 'stop',
        native_finish_reason: 'stop',
        latency: expect.any(Number),
        generation_time: expect.any(Number),
        tokens_prompt: 1,
        tokens_completion: expect.any(Number),
        native_tokens_reasoning: 0,
        native_tokens_cached: 0,
        usage: expect.any(Number),
        upstream_inference_cost: null,
        is_byok: false,
        byok_key_id: null,
        ...{ byok_key_name: null, byok_key_deleted: false },
        byok_fee: 0,
        api_key_hash: gateway.apiKeyHash,
        ...{ api_key_name: 'Test key', api_key_deleted: false },
        workspace_id: gateway.workspaceId,
        ...{ workspace_name: 'Default', workspace_deleted: false },
        request_id: answer.headers['x-request-id'],
        ...{ status: 'ok', reason: null },
        ...{ service_tier: null, speed: null, inference_geo: null, price_mode: null, unpriced: [] },
        ...{ run_id: null, run: null, end_user: null, agent_id: null, parent_agent_id: null },
        provider_responses: [
          {
            provider: 'a',
            provider_name: 'Provider a',
            status: 200,
            error: null,
            is_byok: false,
            byok_key_id: null,
            ...{ byok_key_name: null, byok_key_deleted: false },
            endpoint: 'a/test/m1',
            latency_ms: expect.any(Number),
            adapted: null,
          },
        ],
      },
    });
  });

  it('says how many endpoints were left out for which reason, as explain does', async () => {
    const provider = { ignore: ['b'] };
    const { data } = bodyOf(
      await manage('POST', '/routing/explain', {
        api_key_hash: gateway.apiKeyHash,
        model: 'test/m1',
        provider,
      }),
    );
    const left = recordOf(await use('GET', `/generation?id=${idOf(await chat(use, { provider }))}`));
    expect(left.excluded_counts).toEqual((data as { excluded_counts: object }).excluded_counts);
    expect(left.excluded_counts).toEqual({ request_ignore: 1 });
  });

  it('is available as soon as the answer, streamed or not', async () => {
    for (const stream of [false, true]) {
      const answer = await chat(use, { stream });
      expect(recordOf(await use('GET', `/generation?id=${idOf(answer)}`)).streamed).toBe(stream);
    }
  });

  it('lists one provider response per attempt, in the order tried, with the key that was used', async () => {
    const account = await gateway.addAccount();
    const call = caller(gateway, account.managementKey);
    const ids: unknown[] = [];
    for (const status of [401, 403, 429]) {
      const body = { provider: 'a', key: `demo-status-${status}-0123456789` };
      ids.push(recordOf(await call('POST', '/byok', body)).id);
    }
    const answer = await chat(caller(gateway, account.apiKey));
    const { provider_responses, is_byok } = recordOf(await call('GET', `/generation?id=${idOf(answer)}`));
    expect([is_byok, provider_responses]).toEqual([
      false,
      [
        ...[401, 403, 429].map((status, index) =>
          expect.objectContaining({ provider: 'a', status, is_byok: true, byok_key_id: ids[index] }),
        ),
        expect.objectContaining({ provider: 'a', status: 200, is_byok: false, byok_key_id: null }),
      ],
    ]);
  });

  it('of a request without a serving provider is the record that its error names', async () => {
    const account = await gateway.addAccount();
    const call = caller(gateway, account.managementKey);
    await call('POST', '/byok', { provider: 'a', key: 'demo-status-401-0123456789', is_required: true });
    const answer = await chat(caller(gateway, account.apiKey), { provider: { only: ['a'] } });
    const { metadata } = bodyOf(answer).error as { metadata: { generation_id: string } };
    const record = recordOf(await call('GET', `/generation?id=${metadata.generation_id}`));
    expect(record).toMatchObject({
      finish_reason: 'error',
      provider: null,
      provider_responses: [{ status: 401 }],
    });
  });

  it('an API key sees its own; any other counts as nonexistent', async () => {
    const other = await newKey();
    const own = idOf(await chat(other.call));
    const foreign = idOf(await chat(caller(gateway, (await gateway.addAccount()).apiKey)));
    const unknown = await use('GET', '/generation?id=gen-00000000-0000-4000-8000-000000000000');
    for (const id of [own, foreign]) {
      const read = () => use('GET', `/generation?id=${id}`);
      expect(await refused(gateway, read)).toEqual([404, 'not_found']);
      expect((await read()).text).toBe(unknown.text);
    }
    expect((await other.call('GET', `/generation?id=${own}`)).status).toBe(200);
    expect((await manage('GET', `/generation?id=${own}`)).status).toBe(200);
    expect((await manage('GET', `/generation?id=${foreign}`)).status).toBe(404);
  });

  it.each([
    ['', 'id required'],
    ['?id=', 'id required'],
    ['?id=a&id=b', 'id repeated'],
    ['?id=a&model=x', 'model unknown'],
  ])('%s is 400: %s', async (query, violation) => {
    expect(await refused(gateway, () => use('GET', `/generation${query}`))).toEqual([
      400,
      'invalid_request',
      violation,
    ]);
  });
});

describe('GET /generations', () => {
  it('lists those of the account, by key and time, and no others', async () => {
    const account = await gateway.addAccount();
    const call = caller(gateway, account.managementKey);
    const own = caller(gateway, account.apiKey);
    const ids = [idOf(await chat(own)), idOf(await chat(own)), idOf(await chat(own, { stream: true }))];
    const all = rowsOf(await call('GET', '/generations'));
    expect(all.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const page = bodyOf(await call('GET', '/generations?offset=1&limit=1'));
    const next = new RegExp(`^${gateway.url}/api/v1/generations\\?cursor=[\\w-]+&limit=1$`);
    const links = { next: expect.stringMatching(next) };
    expect(page).toEqual({ data: [all[1]], total_count: 3, total_count_exact: true, links });
    const count = async (query: string) => bodyOf(await call('GET', `/generations?${query}`)).total_count;
    expect(await count(`api_key_hash=${account.apiKeyHash}`)).toBe(3);
    expect(await count(`api_key_hash=${gateway.apiKeyHash}`)).toBe(0);
    expect(await count(`workspace_id=${account.workspaceId}`)).toBe(3);
    expect(await count('from=2020-01-01T00:00:00Z')).toBe(3);
    expect(await count('from=2099-01-01T00:00:00Z')).toBe(0);
    expect(await count('to=2020-01-01T00:00:00Z')).toBe(0);
    expect(await count('from=2020-01-01T00:00:00Z&to=2099-01-01T00:00:00%2B02:00')).toBe(3);
  });

  it('are found by the session and the reason that they name', async () => {
    const account = await gateway.addAccount();
    const call = caller(gateway, account.managementKey);
    const own = caller(gateway, account.apiKey);
    const ids: string[] = [];
    for (const session_id of ['one', 'two', 'three']) ids.push(idOf(await chat(own, { session_id })));
    const found = async (query: string) =>
      rowsOf(await call('GET', `/generations?${query}`)).map(({ id }) => id);
    expect(await found('session_id=two')).toEqual([ids[1]]);
    expect((await found('session_id=three,one,four')).toSorted()).toEqual([ids[0], ids[2]].toSorted());
    expect(await found('session_id=four')).toEqual([]);
    expect(await found('reason=no_route')).toEqual([]);
    const { database } = gateway.gateway;
    await database.transact([], async (tx) => {
      await tx
        .updateTable('generation')
        .set({ reason: 'no_route' })
        .where('id', '=', ids[2] ?? '')
        .execute();
    });
    expect(await found('reason=guardrail,no_route')).toEqual([ids[2]]);
  });

  it('are followed by a cursor, with the same filters, while new ones come', async () => {
    const account = await gateway.addAccount();
    const call = caller(gateway, account.managementKey);
    const own = caller(gateway, account.apiKey);
    const ids = new Set([idOf(await chat(own)), idOf(await chat(own)), idOf(await chat(own))]);
    const found: unknown[] = [];
    let path: string | null = '/generations?limit=1&status=ok&is_byok=false';
    while (path !== null) {
      const { data, links } = bodyOf(await call('GET', path)) as {
        data: readonly { id: string }[];
        links: { next: string | null };
      };
      expect(links.next ?? 'limit=1&status=ok&is_byok=false').toContain('limit=1&status=ok&is_byok=false');
      found.push(...data.map(({ id }) => id));
      path = links.next === null ? null : links.next.slice(`${gateway.url}/api/v1`.length);
      await chat(own);
    }
    expect(found).toHaveLength(3);
    expect(new Set(found)).toEqual(ids);
  });

  it.each([
    ['?cursor=xyz', 'cursor cursor'],
    [`?cursor=${Buffer.from('g1 5 gen-1').toString('base64url')}&offset=1`, 'offset exclusive'],
    ['?status=ok,good', 'status in'],
    ['?api=%09', 'api words'],
    ['?provider=a,%20b', 'provider words'],
    ['?model=a,,b', 'model words'],
    [`?user_id=${Array.from({ length: 101 }, (_, index) => index).join()}`, 'user_id count'],
    ['?is_byok=perhaps', 'is_byok type'],
    ['?workspace_id=a,b', 'workspace_id known'],
    ['?reason=,', 'reason words'],
    ['?session_id=a%20b', 'session_id words'],
    ['?from=yesterday', 'from timestamp'],
    ['?from=x&to=y', 'from timestamp', 'to timestamp'],
    ['?limit=0', 'limit range'],
    ['?limit=101', 'limit range'],
    ['?offset=-1', 'offset range'],
    ['?key=x', 'key unknown'],
  ])('%s is 400', async (query, ...violations) => {
    expect(await refused(gateway, () => manage('GET', `/generations${query}`))).toEqual([
      400,
      'invalid_request',
      ...violations,
    ]);
  });

  it('outlive their key', async () => {
    const { hash, call } = await newKey();
    const id = idOf(await chat(call));
    await manage('DELETE', `/keys/${hash}`);
    expect(recordOf(await manage('GET', `/generation?id=${id}`)).api_key_hash).toBe(hash);
  });
});
