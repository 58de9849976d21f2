/** Batches of Google Vertex AI: submitted, polled until they end, metered, and read. See docs/batches.md. */

import { setTimeout as sleep } from 'node:timers/promises';
import { FairPlaces } from '../base/fair-places.js';
import { isUuid } from '../base/ids.js';
import type { NanoUsd } from '../base/money.js';
import { notFound, Problem, type Violation } from '../base/problem.js';
import type { Signal } from '../base/signal.js';
import type { ListPrice, Metered } from '../ledger/pricing/price.js';
import { type Batch, generationIdOf } from './batch.js';
import type { BatchDependencies } from './dependencies.js';
import { batchProblemOf } from './failure.js';
import { jobTargetOf } from './job-target.js';
import { type AnsweredRequest, meteredRow, priceOf } from './metering.js';
import type { Claim, DueBatch, RowOutcome } from './ports.js';
import { type RowResult, readResults, withToolNames } from './results.js';
import { BatchRows } from './rows.js';
import { waitMs } from './schedule.js';
import { advance } from './state-machine.js';
import {
  admitBatch,
  type NewBatch,
  type SubmissionContext,
  submissionViolations,
  submitBatch,
} from './submission.js';

export type BatchResult =
  | {
      readonly kind: 'answered';
      readonly customId: string;
      readonly generationId: string;
      readonly answer: AnsweredRequest;
      /** Whether the answer is returned without reasoning. */
      readonly isReasoningHidden: boolean;
      readonly metered: Metered;
      readonly list: ListPrice;
      /** The fee. */
      readonly chargedNanoUsd: NanoUsd;
    }
  | ({ readonly customId: string } & Extract<RowOutcome, { readonly kind: 'failed' }>);

/** Interval of the search for due batches. */
const TICK_MS = 1000;

/** Batches that are looked for in one tick. */
const BATCHES_PER_TICK = 64;

/** Batches that are polled concurrently; those of an account take at most half of what is free. */
const BATCHES_AT_ONCE = 6;

/** Batches that wait to be polled: a few searches. */
const MAX_WAITING_POLLS = 4 * BATCHES_PER_TICK;

/** Interval in which the worker of a batch renews its claim. */
const RENEW_MS = 4000;

/**
 * How long `get` waits for fresh progress before it returns the record as it is. Metering a large batch takes longer.
 */
const MAX_READ_WAIT_MS = 10_000;

/** Results whose charges are looked up together. A group also ends once its answers reach this many characters. */
const RESULTS_AT_ONCE = 25;
const CHARACTERS_AT_ONCE = 256 * 1024;

/** The batch service. `close` interrupts what is in flight; the next process continues it. */
export class Batches {
  readonly #dependencies: BatchDependencies;
  readonly #running = new Map<string, Promise<void>>();
  /** The ids of batches that are polled, or wait for it. */
  readonly #polled = new Set<string>();
  readonly #places = new FairPlaces({
    admits: ({ held, taken }) => held < BATCHES_AT_ONCE - taken,
    maxWaiting: MAX_WAITING_POLLS,
  });
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isTicking = false;

  constructor(dependencies: BatchDependencies) {
    this.#dependencies = dependencies;
  }

  /** Starts polling in the background. */
  start(): void {
    this.#timer ??= setInterval(() => void this.#tick(), TICK_MS).unref();
  }

  /** Stops polling; resolves once nothing is in flight. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort(new Problem('shutting_down', 'The service is shutting down'));
    await Promise.all(this.#running.values());
  }

  /** The violations that the contract's own rules do not find. */
  violations(newBatch: NewBatch): Promise<Violation[]> {
    return submissionViolations(this.#dependencies, newBatch);
  }

  /**
   * Returns the new batch; its job has been created unless the provider could not create it yet. Throws a Problem,
   * and then no batch is left.
   */
  async submit(newBatch: NewBatch, context: SubmissionContext): Promise<Batch> {
    const admitted = await admitBatch(this.#dependencies, newBatch, context, this.#dependencies.ids.uuid());
    const { batch } = await this.#withClaim(admitted.claim, () =>
      submitBatch(this.#dependencies, admitted, newBatch, context),
    );
    this.#dependencies.meter.submitted();
    return batch;
  }

  /** Newest first. */
  list(accountId: string, page: { readonly offset: number; readonly limit: number }) {
    return this.#dependencies.store.list(accountId, page);
  }

  /** The batch with progress read from the provider now. Throws 404. */
  async get(accountId: string, id: string): Promise<Batch> {
    const { stage } = await this.#find(accountId, id);
    if (stage !== 'settled') {
      const waiting = new AbortController();
      const timeout = sleep(MAX_READ_WAIT_MS, undefined, { signal: waiting.signal, ref: false }).catch(
        () => undefined,
      );
      await Promise.race([this.#run(id), timeout]);
      waiting.abort();
    }
    return this.#find(accountId, id);
  }

  /**
   * The results of a batch that has ended. Throws a Problem: 404 for an unknown batch or results that are gone, 409
   * while it has not ended, and failures of the provider's storage.
   */
  async *results(accountId: string, id: string, signal: Signal): AsyncGenerator<BatchResult> {
    const batch = await this.get(accountId, id);
    if (batch.stage !== 'settled') throw new Problem('not_finished', 'The batch has not ended yet');
    try {
      const rows = new BatchRows(await this.#dependencies.store.rows(id), batch.total);
      for await (const group of grouped(this.#read(batch, rows, signal))) {
        const charges = await this.#dependencies.store.chargesOf(
          group.map(({ row }) => generationIdOf(id, row)),
        );
        for (const result of group) yield resultOf(batch, rows, result, charges);
      }
    } catch (thrown) {
      throw batchProblemOf(thrown);
    }
  }

  async *#read(batch: Batch, rows: BatchRows, signal: Signal): AsyncGenerator<RowResult> {
    const { upstream, meter } = this.#dependencies;
    const form = upstream.formOf(batch);
    if (form === undefined) throw new TypeError('a batch of a model that has no form');
    const target = await jobTargetOf(this.#dependencies, batch);
    yield* readResults({ storage: upstream.storage, target, form, meter, rows }, batch, signal);
  }

  async #find(accountId: string, id: string): Promise<Batch> {
    const batch = isUuid(id) ? await this.#dependencies.store.find(accountId, id) : undefined;
    if (batch === undefined) throw notFound();
    return batch;
  }

  async #tick(): Promise<void> {
    if (this.#isTicking) return;
    this.#isTicking = true;
    try {
      const due = await this.#dependencies.store.due(this.#dependencies.clock.now(), BATCHES_PER_TICK);
      for (const batch of due) if (!this.#polled.has(batch.id)) void this.#poll(batch);
    } catch (error) {
      this.#dependencies.report(error);
    } finally {
      this.#isTicking = false;
    }
  }

  /**
   * Advances the batch once its account has a place, so that slow hosts of one account do not hold up the batches of
   * others.
   */
  async #poll({ id, accountId }: DueBatch): Promise<void> {
    this.#polled.add(id);
    if (this.#places.tryTake(accountId) || (await this.#waited(accountId))) {
      await this.#run(id);
      this.#places.release(accountId);
    }
    this.#polled.delete(id);
  }

  /** Waits for a place; false when too many wait already. The next search finds the batch again. */
  #waited(accountId: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.#places.wait(accountId, { granted: () => resolve(true), refused: () => resolve(false) });
    });
  }

  /**
   * Advances the batch, unless another worker does, and resolves when that is done. Never rejects: errors are
   * reported.
   */
  #run(id: string): Promise<void> {
    const known = this.#running.get(id);
    if (known !== undefined) return known;
    const running = this.#advance(id)
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) this.#dependencies.report(error);
      })
      .finally(() => this.#running.delete(id));
    this.#running.set(id, running);
    return running;
  }

  async #advance(id: string): Promise<void> {
    const { store, clock } = this.#dependencies;
    if (this.#closing.signal.aborted) return;
    const claim = await store.claim(id, clock.now());
    if (claim === undefined) return;
    await this.#withClaim(claim, async () => {
      try {
        await advance(this.#dependencies, claim, this.#closing.signal);
      } catch (error) {
        const { waits } = claim.batch;
        await store.advance(claim, { waits: waits + 1, pollAt: clock.now() + waitMs(waits) });
        throw error;
      }
    });
  }

  async #withClaim<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
    const { store, clock } = this.#dependencies;
    const renewing = setInterval(() => {
      store.renew(claim, clock.now()).catch(this.#dependencies.report);
    }, RENEW_MS).unref();
    try {
      return await work();
    } finally {
      clearInterval(renewing);
      await store.release(claim);
    }
  }
}

function resultOf(
  batch: Batch,
  rows: BatchRows,
  { row, outcome }: RowResult,
  charges: ReadonlyMap<string, NanoUsd>,
): BatchResult {
  const sent = rows.at(row);
  if (sent === undefined) throw new RangeError('a result of no request');
  const { customId, isReasoningHidden, toolNames } = sent;
  if (outcome.kind === 'failed') return { customId, ...outcome };
  const generationId = generationIdOf(batch.id, row);
  const metered = meteredRow(batch, sent, outcome);
  return {
    kind: 'answered',
    customId,
    generationId,
    answer: toolNames === undefined ? outcome : withToolNames(outcome, toolNames),
    isReasoningHidden,
    metered,
    list: priceOf(batch, metered),
    chargedNanoUsd: charges.get(generationId) ?? 0n,
  };
}

async function* grouped(results: AsyncIterable<RowResult>): AsyncGenerator<readonly RowResult[]> {
  let group: RowResult[] = [];
  let characters = 0;
  for await (const result of results) {
    group.push(result);
    if (result.outcome.kind === 'answered') characters += result.outcome.characters;
    if (group.length < RESULTS_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    yield group;
    group = [];
    characters = 0;
  }
  if (group.length > 0) yield group;
}
