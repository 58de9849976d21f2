import { describe, expect, it } from 'vitest';
import { systemIds } from '../../src/base/ids.js';
import type { Generation, GenerationFilter } from '../../src/inference/settlement/generation.js';
import type { Charge } from '../../src/ledger/settlement.js';
import { createLedgerMemory } from '../../src/store/ledger/ledger-memory.js';
import { createLedgerRunner } from '../../src/store/ledger/ledger-runner.js';
import { createGenerationStore } from '../../src/store/tables/generation-store.js';
import { DATABASE_KINDS, type DatabaseKind, withDatabase } from '../support/database.js';

const EVERYTHING: GenerationFilter = { from: null, to: null, apiKeyHash: null, workspaceId: null };
const FIRST_PAGE = { offset: 0, limit: 50 };

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
    providerName: 'Demo',
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
    usageNanoUsd: 440_359_962_737_050n,
    upstreamInferenceCostNanoUsd: 9_007_199_254_740_993n,
    byokFeeNanoUsd: 440_359_962_737_050n,
    providerResponses: [
      {
        provider: 'demo',
        provider_name: 'Demo',
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

async function storeOn(kind: DatabaseKind, generations: readonly Generation[]) {
  const database = await withDatabase(kind);
  const store = createGenerationStore(
    database,
    createLedgerRunner(database, createLedgerMemory(database)),
    systemIds,
  );
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
      sessionId: null,
      traceId: null,
      ip: null,
    });
    const store = await storeWith(generation(), failed);
    const scope = { accountId: 'account', apiKeyHash: null };
    expect(await store.find('gen-1', scope)).toEqual(generation());
    expect(await store.find('gen-2', scope)).toEqual(failed);
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
    const page = await store.list('account', EVERYTHING, { offset: 1, limit: 1 });
    expect(page.generations.map(({ id }) => id)).toEqual(['a']);
    expect(page.totalCount).toBe(3);
    const all = await store.list('account', EVERYTHING, FIRST_PAGE);
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
        { ...EVERYTHING, ...filter },
        FIRST_PAGE,
      );
      expect(totalCount).toBe(generations.length);
      return generations.map(({ id }) => id);
    };
    expect(await ids({ from: 20 })).toEqual(['c', 'b']);
    expect(await ids({ to: 20 })).toEqual(['a']);
    expect(await ids({ apiKeyHash: 'other' })).toEqual(['b']);
    expect(await ids({ workspaceId: 'workspace', from: 15 })).toEqual(['b']);
  });
});
