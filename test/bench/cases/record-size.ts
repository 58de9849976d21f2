/** What a chat takes on disk, on SQLite: its record, its charges, its share of the rollups, and all indexes of these. */
import { join } from 'node:path';
import { sql } from 'kysely';
import { sha256Hex, systemIds } from '../../../src/base/ids.js';
import { NO_ATTRIBUTION, NO_MODE } from '../../../src/inference/ports/generation.js';
import { type AppliedRates, AT_BASE, ratesUnder } from '../../../src/ledger/pricing/rates.js';
import { termsOf } from '../../../src/receipts/terms.js';
import type { Database } from '../../../src/store/database/database.js';
import { openDatabase } from '../../../src/store/open.js';
import { createStores } from '../../../src/store/stores.js';
import { NO_TOKENS } from '../../ledger/no-tokens.js';
import type { Bench } from '../bench.js';

const CHATS = 100_000;
/** Settled at once, as by as many clients. */
const CONCURRENCY = 50;
const API_KEYS = 50;

const SERVED = [
  { model: 'openai/gpt-5-mini', provider: 'openai', providerName: 'OpenAI' },
  { model: 'anthropic/claude-sonnet-4.5', provider: 'anthropic', providerName: 'Anthropic' },
  { model: 'google/gemini-2.5-flash', provider: 'google-vertex', providerName: 'Google Vertex' },
  { model: 'mistralai/mistral-small-3.2', provider: 'mistral', providerName: 'Mistral' },
];

/** Of the models. */
const RATES = ['1', '2', '3', '4'].map((prompt) =>
  ratesUnder(
    { prices: { prompt: `0.00000${prompt}`, completion: '0.00001' }, discount: null, overrides: [] },
    { ...AT_BASE, promptTokens: 1, at: 0 },
  ),
) as [AppliedRates, ...AppliedRates[]];

export async function measureRecordSize({ folder }: Pick<Bench, 'folder'>): Promise<string> {
  const database = await openDatabase(`sqlite:${join(folder, 'record-size.db')}`);
  try {
    await settleChats(database);
    return await report(database);
  } finally {
    await database.close();
  }
}

/** Over a day; every fourth with a provider key of the account's own. */
async function settleChats(database: Database): Promise<void> {
  const { generations } = createStores(database, { clock: { now: Date.now }, ids: systemIds });
  const [accountId, workspaceId, ownKey] = [systemIds.uuid(), systemIds.uuid(), systemIds.uuid()];
  const settle = (index: number) => {
    const served = SERVED[index % SERVED.length] ?? { model: '', provider: '', providerName: '' };
    const byokKeyId = Math.floor(index / SERVED.length) % 4 === 0 ? ownKey : null;
    const endpoint = `${served.provider}/${served.model}`;
    const key = (index * 7) % API_KEYS;
    const record = {
      id: `gen-${systemIds.uuid()}`,
      accountId,
      workspaceId,
      apiKeyHash: sha256Hex(`key ${key}`),
      userId: `user_${sha256Hex(`user ${key % 10}`).slice(0, 12)}`,
      requestId: systemIds.uuid(),
      ...served,
      requestedModel: served.model,
      endpoint,
      byokKeyId,
      isStreamed: index % 2 === 0,
      status: 'ok',
      reason: null,
      httpStatus: 200,
      message: null,
      api: 'chat',
      lane: null,
      omitted: [],
      sessionId: null,
      traceId: null,
      ip: null,
      requests: 1,
      finishReason: 'stop',
      nativeFinishReason: 'end_turn',
      latencyMs: 431,
      generationTimeMs: 2310,
      promptTokens: 1204,
      completionTokens: 388,
      reasoningTokens: 0,
      cachedTokens: 0,
      isCached: false,
      countedBy: 'provider',
      ...NO_MODE,
      ...NO_ATTRIBUTION,
      excludedCounts: {},
      providerResponses: [
        {
          provider: served.provider,
          provider_name: served.providerName,
          status: 200,
          error: null,
          is_byok: byokKeyId !== null,
          byok_key_id: byokKeyId,
          endpoint,
          latency_ms: 431,
          adapted: null,
        },
      ],
      createdAt: Date.UTC(2026, 0, 1) + index * 864,
      runId: null,
      endUser: null,
    } as const;
    const isByok = byokKeyId !== null;
    const terms = termsOf(RATES[index % RATES.length] ?? RATES[0], 'pay_as_you_go', isByok);
    const billed = { terms, metered: { ...NO_TOKENS, promptTokens: 1204, completionTokens: 388 } };
    return generations.settle(record, { plan: 'pay_as_you_go', isByok, costNanoUsd: 1_234_567n, billed });
  };
  for (let first = 0; first < CHATS; first += CONCURRENCY) {
    await Promise.all(Array.from({ length: CONCURRENCY }, (_, index) => settle(first + index)));
  }
}

async function report({ query }: Database): Promise<string> {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select name, sum(pgsize) as bytes from dbstat group by name having sum(pgsize) > ${CHATS} order by 2 desc`.execute(
    query,
  );
  const bytesEach = (bytes: number) => Math.round(bytes / CHATS);
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    '| table or index | bytes a chat |',
    '|---|--:|',
    ...rows.map(({ name, bytes }) => `| ${name} | ${bytesEach(bytes)} |`),
    `| all | ${bytesEach(total)} |`,
  ].join('\n');
}
