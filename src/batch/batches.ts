/** Batches of Google Vertex AI: submitted, polled until they end, metered, and read. See docs/batches.md. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isUuid } from '../base/ids.js';
import type { NanoUsd } from '../base/money.js';
import { notFound, Problem, type Violation } from '../base/problem.js';
import { type ListPrice, listPrice, type Metered } from '../ledger/price.js';
import { type Batch, generationIdOf } from './batch.js';
import type { BatchDependencies } from './dependencies.js';
import { problemOf } from './failure.js';
import { jobTargetOf } from './job-target.js';
import { type Answered, meteredRow } from './metering.js';
import type { Claim, RowOutcome } from './ports.js';
import { type RowResult, readResults } from './results.js';
import { BatchRows } from './rows.js';
import { waitMs } from './schedule.js';
import { advance } from './state-machine.js';
import { admit, type NewBatch, type SubmissionContext, submissionViolations, submit } from './submission.js';

/** The result of one request, with its cost. */
export type BatchResult =
  | {
      readonly kind: 'answered';
      readonly customId: string;
      readonly generationId: string;
      readonly answer: Answered;
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

/** Batches that are polled in one tick, and concurrently. */
const BATCHES_PER_TICK = 64;
const BATCHES_AT_ONCE = 4;

/** Interval in which the worker of a batch renews its claim. */
const RENEW_MS = 4000;

/** `get` waits this long for fresh progress, then returns the record as it is; metering a large batch takes longer. */
const MAX_READ_WAIT_MS = 10_000;

/** Results whose charges are looked up together; a group also ends once its answers reach this many characters. */
const RESULTS_AT_ONCE = 25;
const CHARACTERS_AT_ONCE = 256 * 1024;

/** The batch service. `close` interrupts what is in flight; the next process continues it. */
export class Batches {
  readonly #dependencies: BatchDependencies;
  readonly #running = new Map<string, Promise<void>>();
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

  /** Violations beyond those that the contract's own rules find. */
  violations(newBatch: NewBatch): Promise<Violation[]> {
    return submissionViolations(this.#dependencies, newBatch);
  }

  /** The new batch, usually with its job created. Throws a Problem, and then no batch is left. */
  async submit(newBatch: NewBatch, context: SubmissionContext): Promise<Batch> {
    const admitted = await admit(this.#dependencies, newBatch, context, this.#dependencies.ids.uuid());
    const { batch } = await this.#withClaim(admitted.claim, () =>
      submit(this.#dependencies, admitted, newBatch, context),
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
  async *results(accountId: string, id: string, signal: AbortSignal): AsyncGenerator<BatchResult> {
    const batch = await this.get(accountId, id);
    if (batch.stage !== 'settled') throw new Problem('not_finished', 'The batch has not ended yet');
    try {
      const rows = new BatchRows(await this.#dependencies.store.rows(id), batch.total);
      for await (const group of grouped(this.#read(batch, signal))) {
        const charges = await this.#dependencies.store.chargesOf(
          group.map(({ row }) => generationIdOf(id, row)),
        );
        for (const result of group) yield resultOf(batch, rows, result, charges);
      }
    } catch (thrown) {
      throw problemOf(thrown);
    }
  }

  async *#read(batch: Batch, signal: AbortSignal): AsyncGenerator<RowResult> {
    const { upstream, meter } = this.#dependencies;
    const form = upstream.formOf(batch);
    if (form === undefined) throw new TypeError('a batch of a model that has no form');
    const target = await jobTargetOf(this.#dependencies, batch);
    yield* readResults({ storage: upstream.storage, target, form, meter }, batch, signal);
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
      const waiting = due.values();
      const work = async () => {
        for (const id of waiting) await this.#run(id);
      };
      await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, work));
    } catch (error) {
      this.#dependencies.report(error);
    } finally {
      this.#isTicking = false;
    }
  }

  /** Advances the batch unless another worker does; resolves when that is done. Never rejects: errors are reported. */
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
  const { customId, isReasoningHidden } = sent;
  if (outcome.kind === 'failed') return { customId, ...outcome };
  const generationId = generationIdOf(batch.id, row);
  const metered = meteredRow(sent, outcome);
  return {
    kind: 'answered',
    customId,
    generationId,
    answer: outcome,
    isReasoningHidden,
    metered,
    list: listPrice(batch.pricing, metered, batch.createdAt),
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
