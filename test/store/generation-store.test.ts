import { describe, expect, it } from 'vitest';
import { systemIds } from '../../src/base/ids.js';
import {
  type Generation,
  type GenerationFilter,
  type GenerationPosition,
  NO_ATTRIBUTION,
  NO_MODE,
} from '../../src/inference/ports/generation.js';
import type { Charge } from '../../src/ledger/settlement.js';
import type { Database } from '../../src/store/database/database.js';
import { createLedgerMemory } from '../../src/store/ledger/ledger-memory.js';
import { createLedgerRunner } from '../../src/store/ledger/ledger-runner.js';
import { NotedStreams } from '../../src/store/ledger/noted-streams.js';
import { createGenerationStore } from '../../src/store/records/generation-store.js';
import { DATABASE_KINDS, type DatabaseKind, withDatabase } from '../support/database.js';
import { ANY_GENERATION } from '../support/generations.js';
import { addGenerations } from '../support/many-generations.js';

const FIRST_PAGE = { offset: 0, limit: 50, after: null };

function generation(fields: Partial<Generation> = {}): Generation {
  return {
    id: 'gen-1',
    accountId: 'account',
    workspaceId: 'workspace',
    apiKeyHash: 'hash',
    userId: 'user_1',
    requestId: 'request',
    model: 'demo/model',
    provider: 'demo',
    providerName: null,
    endpoint: 'demo/echo',
    byokKeyId: 'key',
    isStreamed: true,
    status: 'ok',
    reason: null,
    httpStatus: 200,
    message: null,
    requestedModel: 'demo/alias',
    api: 'messages',
    lane: 'translated',
    omitted: ['web_search_20250305'],
    sessionId: 'session',
    traceId: '0af7651916cd43dd8448eb211c80319c',
    ip: '192.0.2.1',
    requests: 1,
    finishReason: 'stop',
    nativeFinishReason: 'end_turn',
    latencyMs: 12,
    generationTimeMs: 34,
    promptTokens: 5,
    completionTokens: 6,
    reasoningTokens: 1,
    cachedTokens: 2,
    isCached: true,
    countedBy: 'provider',
    serviceTier: 'priority',
    speed: 'fast',
    inferenceGeo: 'us',
    runId: 'run-1',
    run: 'nightly',
    endUser: 'Ann Smith',
    agentId: 'agent-2',
    parentAgentId: 'agent-1',
    priceMode: 'service_tier:priority+inference_geo:us',
    unpriced: ['speed:fast'],
    excludedCounts: { max_price: 2, key_disabled: 1 },
    usageNanoUsd: 440_359_962_737_050n,
    upstreamInferenceCostNanoUsd: 9_007_199_254_740_993n,
    byokFeeNanoUsd: 440_359_962_737_050n,
    providerResponses: [
      {
        provider: 'demo',
        provider_name: null,
        status: 200,
        error: null,
        is_byok: true,
        byok_key_id: 'key',
        endpoint: 'demo/echo',
        latency_ms: 12,
        adapted: null,
      },
    ],
    createdAt: 1_000,
    ...fields,
  };
}

/** The charge that results in the usage of the generation. */
function chargeOf({ byokKeyId, usageNanoUsd, upstreamInferenceCostNanoUsd }: Generation): Charge {
  const isByok = byokKeyId !== null;
  return { plan: 'enterprise', isByok, costNanoUsd: upstreamInferenceCostNanoUsd ?? usageNanoUsd };
}

function storeIn(database: Database) {
  const runInLedger = createLedgerRunner(database, createLedgerMemory(database));
  return createGenerationStore(database, runInLedger, systemIds, new NotedStreams(database.query));
}

async function storeOn(kind: DatabaseKind, generations: readonly Generation[]) {
  const store = storeIn(await withDatabase(kind));
  for (const each of generations) await store.settle(each, chargeOf(each));
  return store;
}

describe.each(DATABASE_KINDS)('generations in the database, %s', (kind) => {
  const storeWith = (...generations: Generation[]) => storeOn(kind, generations);

  it('are read as they were recorded, successful or failed', async () => {
    const failed = generation({
      id: 'gen-2',
      provider: null,
      providerName: null,
      endpoint: null,
      byokKeyId: null,
      finishReason: 'error',
      nativeFinishReason: null,
      latencyMs: null,
      generationTimeMs: null,
      upstreamInferenceCostNanoUsd: null,
      usageNanoUsd: 0n,
      byokFeeNanoUsd: 0n,
      isStreamed: false,
      status: 'cancelled',
      reason: 'client_closed_request',
      httpStatus: 499,
      message: 'The client left.',
      requestedModel: 'demo/model',
      api: 'chat',
      lane: null,
      omitted: [],
      countedBy: null,
      ...NO_MODE,
      ...NO_ATTRIBUTION,
      excludedCounts: {},
      sessionId: null,
      traceId: null,
      ip: null,
    });
    const store = await storeWith(generation(), failed);
    const scope = { accountId: 'account', apiKeyHash: null };
    expect(await store.find('gen-1', scope)).toEqual(generation());
    expect(await store.find('gen-2', scope)).toEqual(failed);
  });

  it('show every attempt whole, whatever of it the record says already', async () => {
    const attempts = generation().providerResponses.flatMap((served) => [
      { ...served, status: 529, byok_key_id: null, is_byok: false },
      { ...served, provider: 'other', endpoint: 'other/echo', status: null, error: 'timeout' as const },
      { ...served, adapted: ['max_tokens'] },
    ]);
    const several = generation({ providerResponses: attempts });
    const usual = generation({ id: 'gen-2', endpoint: 'demo/demo/model', providerResponses: attempts });
    const store = await storeWith(several, usual);
    const scope = { accountId: 'account', apiKeyHash: null };
    expect(await store.find('gen-1', scope)).toMatchObject({ providerResponses: attempts });
    expect(await store.find('gen-2', scope)).toMatchObject({
      endpoint: usual.endpoint,
      providerResponses: attempts,
    });
  });

  it("are hidden from other accounts, and from an account's other keys", async () => {
    const store = await storeWith(generation());
    expect(await store.find('gen-1', { accountId: 'account', apiKeyHash: 'hash' })).toBeDefined();
    expect(await store.find('gen-1', { accountId: 'other', apiKeyHash: null })).toBeUndefined();
    expect(await store.find('gen-1', { accountId: 'account', apiKeyHash: 'other' })).toBeUndefined();
    expect(await store.find('gen-9', { accountId: 'account', apiKeyHash: null })).toBeUndefined();
  });

  it('are recorded once', async () => {
    const store = await storeWith(generation());
    await expect(store.settle(generation(), null)).rejects.toThrow();
  });

  it('are listed newest first, in pages, with the count of all', async () => {
    const store = await storeWith(
      generation({ id: 'b', createdAt: 1 }),
      generation({ id: 'a', createdAt: 1 }),
      generation({ id: 'c', createdAt: 2 }),
      generation({ id: 'd', createdAt: 3, accountId: 'other' }),
    );
    const page = await store.list('account', ANY_GENERATION, { ...FIRST_PAGE, offset: 1, limit: 1 });
    expect(page.generations.map(({ id }) => id)).toEqual(['a']);
    expect(page.totalCount).toBe(3);
    const all = await store.list('account', ANY_GENERATION, FIRST_PAGE);
    expect(all.generations.map(({ id }) => id)).toEqual(['c', 'a', 'b']);
  });

  it('are filtered by time, key and workspace', async () => {
    const store = await storeWith(
      generation({ id: 'a', createdAt: 10 }),
      generation({ id: 'b', createdAt: 20, apiKeyHash: 'other' }),
      generation({ id: 'c', createdAt: 30, workspaceId: 'other' }),
    );
    const ids = async (filter: Partial<GenerationFilter>) => {
      const { generations, totalCount } = await store.list(
        'account',
        { ...ANY_GENERATION, ...filter },
        FIRST_PAGE,
      );
      expect(totalCount).toBe(generations.length);
      return generations.map(({ id }) => id);
    };
    expect(await ids({ from: 20 })).toEqual(['c', 'b']);
    expect(await ids({ to: 20 })).toEqual(['a']);
    expect(await ids({ apiKeyHashes: ['other'] })).toEqual(['b']);
    expect(await ids({ workspaceIds: ['workspace'], from: 15 })).toEqual(['b']);
  });

  it('are filtered by everything else that a record says', async () => {
    const store = await storeWith(
      generation({ id: 'a', createdAt: 10, byokKeyId: null }),
      generation({ id: 'b', createdAt: 20, userId: 'user_2', model: 'm2' }),
      generation({ id: 'c', createdAt: 30, status: 'cancelled' }),
      generation({
        id: 'd',
        createdAt: 40,
        status: 'failed',
        provider: null,
        endpoint: null,
        byokKeyId: null,
      }),
    );
    const ids = async (filter: Partial<GenerationFilter>) =>
      (await store.list('account', { ...ANY_GENERATION, ...filter }, FIRST_PAGE)).generations.map(
        ({ id }) => id,
      );
    expect(await ids({ statuses: ['ok'] })).toEqual(['b', 'a']);
    expect(await ids({ statuses: ['failed', 'cancelled'] })).toEqual(['d', 'c']);
    expect(await ids({ userIds: ['user_2'] })).toEqual(['b']);
    expect(await ids({ models: ['m2', 'nothing'] })).toEqual(['b']);
    expect(await ids({ providers: ['demo'], isByok: true })).toEqual(['c', 'b']);
    expect(await ids({ isByok: false })).toEqual(['d', 'a']);
    expect(await ids({ apis: ['messages'], apiKeyHashes: ['hash', 'other'] })).toEqual(['d', 'c', 'b', 'a']);
    expect(await ids({ apis: ['chat'] })).toEqual([]);
  });

  it('follow each other in pages behind a place, whatever is recorded meanwhile', async () => {
    const store = await storeWith(
      ...['a', 'b', 'c', 'd', 'e'].map((id) => generation({ id, createdAt: id < 'c' ? 1 : 2 })),
    );
    const filters: readonly Partial<GenerationFilter>[] = [{}, { models: ['demo/model'] }];
    for (const filter of filters) {
      const seen: string[] = [];
      let after: GenerationPosition | null = null;
      let pages = 0;
      do {
        const page = await store.list(
          'account',
          { ...ANY_GENERATION, ...filter },
          { offset: 0, limit: 2, after },
        );
        seen.push(...page.generations.map(({ id }) => id));
        after = page.next;
        pages += 1;
        const other = generation({ id: `new-${filters.indexOf(filter)}-${pages}`, createdAt: 3 });
        await store.settle(other, null);
      } while (after !== null);
      expect(seen.filter((id) => !id.startsWith('new-'))).toEqual(['c', 'd', 'e', 'a', 'b']);
      expect(new Set(seen).size).toBe(seen.length);
    }
  });

  it('that a filter without an index finds are looked for among 10,000 a page', async () => {
    const database = await withDatabase(kind);
    const store = storeIn(database);
    const payer = { accountId: 'account', workspaceId: 'workspace', apiKeyHash: 'hash', ownerUserId: 'user' };
    await addGenerations(database, 10_001, payer);
    const old = generation({ id: 'old', model: 'rare', byokKeyId: null });
    await store.settle(old, null);
    const filter = { ...ANY_GENERATION, models: ['rare'] };
    const first = await store.list('account', filter, FIRST_PAGE);
    expect(first).toMatchObject({ generations: [], totalCount: 0, isTotalExact: false });
    const second = await store.list('account', filter, { ...FIRST_PAGE, after: first.next });
    expect(second.generations.map(({ id }) => id)).toEqual(['old']);
    expect(second.next).toBeNull();
  });
});
