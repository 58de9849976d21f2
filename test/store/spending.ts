import { systemIds } from '../../src/base/ids.js';
import { NO_ATTRIBUTION, NO_MODE, type UnsettledGeneration } from '../../src/inference/ports/generation.js';
import type { SpendRequest } from '../../src/ledger/admission.js';
import type { SpendLimit } from '../../src/ledger/limits.js';
import { type Payer, subjects, subjectsOf } from '../../src/ledger/payer.js';
import type { Charge } from '../../src/ledger/settlement.js';
import type { Database } from '../../src/store/database/database.js';
import { createLedgerMemory } from '../../src/store/ledger/ledger-memory.js';
import { createLedgerRunner } from '../../src/store/ledger/ledger-runner.js';
import { createLedger, createReservationMaker } from '../../src/store/ledger/ledger-store.js';
import { NotedStreams } from '../../src/store/ledger/noted-streams.js';
import { totalsViolations } from '../../src/store/ledger/totals.js';
import { createUsageReader } from '../../src/store/ledger/usage-reader.js';
import { chargeViolations } from '../../src/store/maintenance/invariants.js';
import { createGenerationStore } from '../../src/store/records/generation-store.js';
import { createCreditStore } from '../../src/store/tables/credit-store.js';
import { usageViolations } from '../../src/store/usage/usage-check.js';

/** A Wednesday. */
export const NOW = Date.UTC(2026, 2, 18, 12);
export const MINUTE_MS = 60_000;

export const PAYER: Payer = {
  accountId: 'account',
  workspaceId: 'workspace',
  apiKeyHash: 'hash',
  userId: 'user_1',
  runId: null,
  endUser: null,
};

/** The stores that change the ledger, as one process has them; other processes may use the same database. */
export function openLedgerStores(database: Database) {
  const memory = createLedgerMemory(database);
  const runInLedger = createLedgerRunner(database, memory);
  const makeReservation = createReservationMaker(database);
  return {
    database,
    /** Makes a reservation of 10 nano-USD that is a row, whatever the database. */
    reserveStored: (id: string, holder: string, expiresAt: number, payer = PAYER) =>
      runInLedger({ accountId: payer.accountId, subjects: [], reservationId: null }, async (tx) => {
        const reserve = { creditNanoUsd: 0n, byokNanoUsd: 10n, sumNanoUsd: 10n };
        makeReservation(tx, { id, payer, holder, expiresAt }, reserve);
      }),
    ledger: createLedger(database, runInLedger, memory),
    generations: createGenerationStore(database, runInLedger, systemIds, new NotedStreams(database.query)),
    credits: createCreditStore(database, runInLedger, memory),
    usage: createUsageReader(database, memory),
  };
}

/** A limit on the payer's key. */
export function keyLimit(limitNanoUsd: bigint, fields: Partial<SpendLimit> = {}): SpendLimit {
  const subject = subjects.key(PAYER.apiKeyHash);
  return {
    kind: 'key',
    subject,
    interval: null,
    includeByok: true,
    limitNanoUsd,
    id: 'id',
    name: 'Name',
    title: null,
    ...fields,
  };
}

/** A request over a BYOK key, which needs no credits, with a max cost of 10 nano-USD. */
export function spendRequest(fields: Partial<SpendRequest> = {}): SpendRequest {
  return {
    payer: PAYER,
    plan: 'pay_as_you_go',
    limits: [],
    maxCost: { sharedNanoUsd: null, byokNanoUsd: 10n },
    funds: { hasCredits: true, hasByokAllowance: true },
    at: NOW,
    ...fields,
  };
}

export function byokCharge(costNanoUsd: bigint): Charge {
  return { plan: 'pay_as_you_go', isByok: true, costNanoUsd };
}

export function sharedCharge(costNanoUsd: bigint): Charge {
  return { plan: 'pay_as_you_go', isByok: false, costNanoUsd };
}

/** The record of a request, before it is settled. */
export function unsettledGeneration(
  id: string,
  fields: Partial<UnsettledGeneration> = {},
): UnsettledGeneration {
  return {
    id,
    ...PAYER,
    requestId: id,
    model: 'demo/echo',
    provider: 'demo',
    providerName: 'Demo',
    endpoint: 'demo/echo',
    byokKeyId: null,
    isStreamed: false,
    status: 'ok',
    reason: null,
    httpStatus: null,
    message: null,
    requestedModel: 'demo/echo',
    api: 'chat',
    lane: null,
    omitted: [],
    sessionId: null,
    traceId: null,
    ip: null,
    requests: 1,
    finishReason: 'stop',
    nativeFinishReason: null,
    latencyMs: 1,
    generationTimeMs: 1,
    promptTokens: 1,
    completionTokens: 1,
    reasoningTokens: 0,
    cachedTokens: 0,
    isCached: false,
    countedBy: null,
    ...NO_MODE,
    ...NO_ATTRIBUTION,
    excludedCounts: {},
    providerResponses: [],
    createdAt: NOW,
    ...fields,
  } satisfies UnsettledGeneration;
}

type LedgerStores = ReturnType<typeof openLedgerStores>;

/** Everything that is reserved, by subject; empty when nothing is. Found out by the limits that it reaches. */
export async function reservedSums({ database, ledger }: LedgerStores): Promise<Record<string, bigint>> {
  const totals = await database.query.selectFrom('spend_total').selectAll().execute();
  const reserved = await Promise.all(
    subjectsOf(PAYER).map(async (subject) => {
      const total = totals.find((row) => row.subject === subject);
      const spent = total === undefined ? 0n : total.credit_nano_usd + total.byok_nano_usd;
      return [subject, (await countedBy(ledger, subject)) - spent] as const;
    }),
  );
  return Object.fromEntries(reserved.filter(([, amount]) => amount !== 0n));
}

/** What is spent and reserved of a subject together: the highest limit that is reached. Changes nothing. */
async function countedBy(ledger: LedgerStores['ledger'], subject: string): Promise<bigint> {
  const maxCost = { sharedNanoUsd: null, byokNanoUsd: null };
  let [reached, free] = [0n, 2n ** 62n];
  while (free - reached > 1n) {
    const limit = (reached + free) / 2n;
    const request = spendRequest({ maxCost, limits: [keyLimit(limit, { subject })] });
    if (await ledger.extend('nobody', request)) free = limit;
    else reached = limit;
  }
  return reached;
}

/** The differences between the totals, the rollups of usage, the generations and the ledger. */
export async function ledgerViolations(database: Database): Promise<string[]> {
  return [
    ...(await totalsViolations(database)),
    ...(await chargeViolations(database)),
    ...(await usageViolations(database)),
  ];
}
