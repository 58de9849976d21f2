import { describe, expect, it } from 'vitest';
import { totalsViolations } from '../../src/store/ledger/totals.js';
import { chargeViolations } from '../../src/store/maintenance/invariants.js';
import { NO_TOKENS } from '../ledger/no-tokens.js';
import { demoModel } from '../support/catalog.js';
import { receiptOf } from '../support/receipts.js';
import { type Answer, bodyOf, caller, type Row, recordOf, refusalOf, rowsOf } from '../support/rest.js';
import { type BatchWorld, CLAUDE, GEMINI, request, startBatchWorld } from './world.js';

/** Two requests, whose max cost is some thousand completion tokens each. */
const REQUESTS = [request('a', 'Hello', { max_tokens: 4 }), request('b', 'Hello', { max_tokens: 4 })];

async function expectLedgerConsistent({ gateway }: BatchWorld): Promise<void> {
  const { database } = gateway.gateway;
  expect(await totalsViolations(database)).toEqual([]);
  expect(await chargeViolations(database)).toEqual([]);
}

async function keyOf(world: BatchWorld): Promise<Row> {
  return recordOf(await caller(world.gateway, world.gateway.apiKey)('GET', '/key'));
}

describe('what a batch costs', () => {
  it('is metered as BYOK at list price, one generation per answer, attributed to the named key', async () => {
    const world = await startBatchWorld();
    const key = await world.store();
    const { apiKeyHash } = world.gateway;
    const submitted = recordOf(await world.submit({ requests: REQUESTS, api_key_hash: apiKeyHash }));
    expect(submitted.api_key_hash).toBe(apiKeyHash);
    await world.ended(submitted.id);
    const generations = rowsOf(await world.manage('GET', `/generations?api_key_hash=${apiKeyHash}`));
    expect(generations.map(({ id }) => id).sort()).toEqual([
      `gen-${submitted.id}-0`,
      `gen-${submitted.id}-1`,
    ]);
    // One word in, four out, at 1 and 2 USD a million tokens.
    for (const one of generations) {
      expect(one).toMatchObject({
        model: GEMINI,
        is_byok: true,
        byok_key_id: key.id,
        usage: 0,
        upstream_inference_cost: 0.000009,
        tokens_prompt: 1,
        tokens_completion: 4,
        finish_reason: 'stop',
        created_at: submitted.created_at,
        provider_responses: [{ provider: 'google-vertex', status: 200, is_byok: true }],
      });
    }
    expect(await keyOf(world)).toMatchObject({ usage: 0, byok_usage: 0.000018 });
    const [activity] = rowsOf(await world.manage('GET', '/activity'));
    expect(activity).toMatchObject({ model: GEMINI, requests: 2, byok_usage: 0.000018 });
    const receipt = await receiptOf(world.manage, `gen-${submitted.id}-0`);
    expect(receipt).toMatchObject({ list_price_usd: '0.000009', is_byok: true, at: submitted.created_at });
    expect(receipt.fee).toMatchObject({ rate: '0.05', amount_usd: '0' });
    const [row] = await world.results(submitted.id);
    expect(row).toMatchObject({
      response: {
        body: { usage: { cost: 0, cost_details: { upstream_inference_cost: 0.000009 } } },
      },
    });
    await expectLedgerConsistent(world);
  });

  it('is of keys that are still named when they are deleted, and of none where none was named', async () => {
    const world = await startBatchWorld();
    const key = await world.store({}, { name: 'Vertex of billing' });
    const { apiKeyHash: api_key_hash } = world.gateway;
    const named = recordOf(await world.submit({ requests: REQUESTS, api_key_hash }));
    const unnamed = recordOf(await world.submit({ requests: REQUESTS }));
    for (const { id } of [named, unnamed]) await world.ended(id);
    for (const path of [`/keys/${api_key_hash}`, `/byok/${key.id}`]) {
      expect(recordOf(await world.manage('GET', path))).toBeDefined();
      expect((await world.manage('DELETE', path)).status).toBe(200);
    }
    const byok = { byok_key_name: 'Vertex of billing', byok_key_deleted: true };
    const ofKey = { ...byok, api_key_name: 'Test key', api_key_deleted: true };
    const ofNone = { ...byok, api_key_name: null, api_key_deleted: false };
    expect(recordOf(await world.manage('GET', `/batches/${named.id}`))).toMatchObject(ofKey);
    const listed = rowsOf(await world.manage('GET', '/batches'));
    expect(listed.find(({ id }) => id === unnamed.id)).toMatchObject(ofNone);
    const generations = rowsOf(await world.manage('GET', '/generations'));
    expect(generations.filter((one) => one.api_key_hash === '')).toEqual(
      [1, 2].map(() => expect.objectContaining(ofNone)),
    );
    const activity = rowsOf(await world.manage('GET', '/activity?group_by=api_key'));
    expect(activity.map((row) => [row.api_key_name, row.api_key_deleted])).toEqual(
      expect.arrayContaining([
        [undefined, undefined],
        ['Test key', true],
      ]),
    );
  });

  it('is reserved while the batch runs, against every limit that counts BYOK, and released at its end', async () => {
    const world = await startBatchWorld();
    await world.store();
    const { apiKeyHash: api_key_hash } = world.gateway;
    await world.manage('PATCH', `/keys/${api_key_hash}`, { limit: 0.00005, include_byok_in_limit: true });
    const { id } = recordOf(await world.submit({ requests: REQUESTS, api_key_hash }));
    const blocked = await world.submit({ requests: REQUESTS, api_key_hash });
    expect(refusalOf(blocked)).toEqual([429, 'limit_reserved']);
    expect(world.google.jobs.all).toHaveLength(1);
    await world.ended(id);
    await expectLedgerConsistent(world);
    const { query } = world.gateway.gateway.database;
    expect(await query.selectFrom('reservation').selectAll().execute()).toEqual([]);
    expect((await world.submit({ requests: REQUESTS, api_key_hash })).status).toBe(201);
  });

  it.each([
    { type: 'file', file: { filename: 'a.pdf', file_data: 'gs://bucket/a.pdf' } },
    { type: 'video_url', video_url: { url: 'gs://bucket/a.mp4' } },
  ])('reserves the whole context for a prompt with a $type', async (part) => {
    const model = 'google/gemini-long';
    const long = [{ provider: 'google-vertex', upstream_model_id: 'gemini-2.5-flash' }];
    const world = await startBatchWorld({ models: [demoModel(model, long, { context_length: 1_000_000 })] });
    await world.store();
    const { apiKeyHash: api_key_hash } = world.gateway;
    // Nearly all of a million tokens at 1 USD per million.
    await world.manage('PATCH', `/keys/${api_key_hash}`, { limit: 0.99, include_byok_in_limit: true });
    const messages = [{ role: 'user', content: [part] }];
    const requests = [{ custom_id: 'a', body: { messages, max_tokens: 4 } }];
    const submitted = await world.submit({ model, requests, api_key_hash });
    expect([submitted.status, submitted.text]).toEqual([201, expect.anything()]);
    const blocked = await world.submit({ model, requests, api_key_hash });
    expect(refusalOf(blocked)).toEqual([429, 'limit_reserved']);
  });

  it('is bounded where limits apply: a search without max_uses is 400 there, by its place', async () => {
    const world = await startBatchWorld();
    await world.store();
    const { apiKeyHash: api_key_hash } = world.gateway;
    const search = (more: object) => [
      request('a', 'Hello', { max_tokens: 4 }),
      request('b', 'Hello', {
        max_tokens: 4,
        tools: [{ type: 'web_search_20250305', name: 'web_search', ...more }],
      }),
    ];
    const submit = (more: object) => world.submit({ model: CLAUDE, requests: search(more), api_key_hash });
    expect((await submit({})).status).toBe(201);
    await world.manage('PATCH', `/keys/${api_key_hash}`, { limit: 100, include_byok_in_limit: true });
    expect(refusalOf(await submit({}))).toEqual([
      ...[400, 'invalid_request'],
      'requests[1].body.tools[0] bounded',
    ]);
    expect((await submit({ max_uses: 2 })).status).toBe(201);
    expect(refusalOf(await submit({ max_uses: '2' }))).toEqual([
      ...[400, 'invalid_request'],
      'requests[1].body.tools[0].max_uses range',
    ]);
  });

  it('counts against the budgets of guardrails and workspaces', async () => {
    const world = await startBatchWorld();
    await world.store();
    const { workspaceId } = world.gateway;
    await world.manage('PUT', `/workspaces/${workspaceId}/budgets/daily`, {
      limit_usd: 0.000001,
      include_byok_in_budgets: true,
    });
    const { id } = recordOf(await world.submit());
    await world.ended(id);
    const refusal = await world.submit();
    expect(refusalOf(refusal)).toEqual([403, 'workspace_budget_exceeded']);
    expect(bodyOf(refusal).error).toMatchObject({ metadata: { interval: 'daily' } });
  });

  it('is charged the fee where the allowance is used up, and refused without credits for the fee', async () => {
    const world = await startBatchWorld();
    await world.store();
    const { accountId, workspaceId, gateway } = world.gateway;
    const used = 25_000n * 10n ** 9n;
    await gateway.stores.batches.settle(
      {
        ...(await anyBatch(world)),
        payer: { accountId, workspaceId, apiKeyHash: '', userId: 'u', runId: null, endUser: null },
      },
      [
        {
          generationId: 'gen-old',
          metered: NO_TOKENS,
          countedBy: 'provider',
          priceMode: null,
          endUser: null,
          charge: { plan: 'pay_as_you_go', isByok: true, costNanoUsd: used },
          finishReason: null,
          nativeFinishReason: null,
        },
      ],
    );
    const { id } = recordOf(await world.submit({ requests: REQUESTS }));
    await world.ended(id);
    const [row] = await world.results(id);
    // 5 percent of 9 millionths.
    expect(row).toMatchObject({ response: { body: { usage: { cost: 0.00000045 } } } });
    await expectLedgerConsistent(world);
  });

  it('needs credits beyond the allowance: 402', async () => {
    const world = await startBatchWorld({ credits: 0n });
    await world.store();
    expect((await world.submit()).status).toBe(201);
    const { accountId, workspaceId, gateway } = world.gateway;
    await gateway.stores.batches.settle(
      {
        ...(await anyBatch(world)),
        payer: { accountId, workspaceId, apiKeyHash: '', userId: 'u', runId: null, endUser: null },
      },
      [
        {
          generationId: 'gen-old',
          metered: NO_TOKENS,
          countedBy: 'provider',
          priceMode: null,
          endUser: null,
          charge: { plan: 'pay_as_you_go', isByok: true, costNanoUsd: 25_000n * 10n ** 9n },
          finishReason: null,
          nativeFinishReason: null,
        },
      ],
    );
    const refused = await world.submit();
    expect(refusalOf(refused)).toEqual([402, 'insufficient_credits']);
    // Management keys are told what the account has used; whoever has an API key is told the allowance alone.
    const use = caller(world.gateway, world.gateway.apiKey);
    const messages = [{ role: 'user', content: 'Hello' }];
    const chat = await use('POST', '/chat/completions', { model: GEMINI, messages });
    expect(refusalOf(chat)).toEqual([402, 'insufficient_credits']);
    const usedUp = 'Insufficient credits: the free BYOK allowance of 25000 USD monthly is used up: ';
    expect(messageOf(refused)).toMatch(new RegExp(`^${usedUp}25000\\.\\d+ of 25000\\.00 USD spent, `));
    expect(messageOf(chat)).toMatch(new RegExp(`^${usedUp}resets `));
  });

  it('is charged once, however often its results are metered', async () => {
    const world = await startBatchWorld();
    await world.store();
    const { id } = recordOf(await world.submit({ requests: REQUESTS }));
    await world.ended(id);
    const { query } = world.gateway.gateway.database;
    const entries = () =>
      query.selectFrom('ledger_entry').selectAll().where('kind', '!=', 'top_up').execute();
    const before = await entries();
    // The state after a crash right after the last charge.
    await world.gateway.gateway.database.transact([], (tx) =>
      tx.updateTable('batch').set({ stage: 'ended', poll_at: 0 }).where('id', '=', String(id)).execute(),
    );
    await world.ended(id);
    expect(await entries()).toEqual(before);
    await expectLedgerConsistent(world);
  });
});

const messageOf = (answer: Answer) => (bodyOf(answer).error as Row).message;

async function anyBatch(world: BatchWorld) {
  const { id } = recordOf(await world.submit());
  await world.ended(id);
  const batch = await world.gateway.gateway.stores.batches.find(world.gateway.accountId, String(id));
  if (batch === undefined) throw new Error('no batch');
  return batch;
}
