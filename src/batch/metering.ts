/** Charges the answered requests of a batch that has ended, at the prices of its submission, as BYOK usage. */

import type { Signal } from '../base/signal.js';
import { allCounts, isCounted } from '../ledger/pricing/counts.js';
import { chargeablePrice } from '../ledger/pricing/possible-usage.js';
import { type ListPrice, listPrice, type Metered } from '../ledger/pricing/price.js';
import { AS_BATCH, ratesUnder } from '../ledger/pricing/rates.js';
import { termsOf } from '../receipts/terms.js';
import { type Batch, type BatchRow, generationIdOf } from './batch.js';
import type { BatchDependencies } from './dependencies.js';
import type { ChargedRow, Claim, JobTarget, RowOutcome } from './ports.js';
import { estimatesOf, readResults } from './results.js';
import { BatchRows } from './rows.js';

/** Rows charged in one transaction: few enough that other writers don't wait long. */
const ROWS_PER_STEP = 100;

/** Charges and records all answers. Those of an interrupted run are charged once. Throws `JobCallFailure`. */
export async function meterResults(
  { store, upstream, meter }: Pick<BatchDependencies, 'store' | 'upstream' | 'meter'>,
  { batch }: Claim,
  target: JobTarget,
  signal: Signal,
): Promise<{ readonly completed: number; readonly failed: number }> {
  const form = upstream.formOf(batch);
  if (form === undefined) throw new TypeError('a batch of a model that has no form');
  const rows = new BatchRows(await store.rows(batch.id), batch.total);
  const source = { storage: upstream.storage, target, form, meter, rows };
  const count = { completed: 0, failed: 0 };
  let charged: ChargedRow[] = [];
  for await (const { row, outcome } of readResults(source, batch, signal)) {
    const sent = rows.at(row);
    if (outcome.kind === 'failed' || sent === undefined) {
      count.failed += 1;
      continue;
    }
    count.completed += 1;
    charged.push(chargedRow(batch, row, sent, outcome));
    if (charged.length < ROWS_PER_STEP) continue;
    await store.settle(batch, charged);
    charged = [];
  }
  if (charged.length > 0) await store.settle(batch, charged);
  return count;
}

/** The usage of an answered request, estimated where the provider sent none. */
export function meteredRow(
  { pricing }: Pick<Batch, 'pricing'>,
  sent: BatchRow,
  outcome: AnsweredRequest,
): Metered {
  return allCounts(outcome.usage, estimatesOf(sent, outcome, pricing));
}

/** The list price of an answer: the part that is charged for, and what is reported of it. */
export function priceOf({ pricing, createdAt }: Batch, metered: Metered): ListPrice {
  return chargeablePrice(listPrice(pricing, metered, createdAt, AS_BATCH));
}

export type AnsweredRequest = Extract<RowOutcome, { readonly kind: 'answered' }>;

function chargedRow(batch: Batch, row: number, sent: BatchRow, outcome: AnsweredRequest): ChargedRow {
  const metered = meteredRow(batch, sent, outcome);
  const { totalNanoUsd: costNanoUsd } = priceOf(batch, metered);
  const { plan, pricing, createdAt: at } = batch;
  const rates = ratesUnder(pricing, { ...AS_BATCH, promptTokens: metered.promptTokens, at });
  return {
    generationId: generationIdOf(batch.id, row),
    metered,
    countedBy: isCounted(outcome.usage) ? 'provider' : 'estimate',
    charge: { plan, isByok: true, costNanoUsd, billed: { terms: termsOf(rates, plan, true), metered } },
    priceMode: rates.applied.priceMode,
    endUser: sent.endUser,
    finishReason: outcome.finishReason,
    nativeFinishReason: outcome.nativeFinishReason,
  };
}
