/**
 * Saves what streams have sent while they run, so that it is charged even if their process is killed. Streams of less
 * than half a second are never saved. See `docs/money.md#broken-streams-and-disconnects`.
 */
import { yieldAfterSlice } from '../../base/time-slices.js';
import type { Charge } from '../../ledger/settlement.js';
import type { UnsettledGeneration } from '../ports/generation.js';
import type { SettlementLog } from './settlement.js';

/** How a request is charged and recorded; `charge` null = it costs nothing. */
export interface Unsettled {
  readonly generation: UnsettledGeneration;
  readonly charge: Charge | null;
}

export interface StreamJournalStore {
  /** Saves these in one transaction, replacing what was saved for the same generations. */
  note(entries: readonly Unsettled[]): Promise<void>;
  /** Deletes what was saved for these generations, which have been settled. */
  drop(generationIds: readonly string[]): Promise<void>;
}

/** A stream that is being sent. */
export interface SentStream {
  /** Characters of the whole output so far. */
  readonly characters: number;
  /** How the stream is settled if nothing more of it is sent. */
  soFar(): Unsettled;
}

const TICK_MS = 500;

/** A stream is saved once a second, so that at most one second of its output is lost. */
const TICKS_BETWEEN_NOTES = 2;

interface Followed {
  readonly stream: SentStream;
  dueAt: number;
  /** The stream's characters when it was last saved; -1 if it never was. */
  noted: number;
  isOver: boolean;
}

/** Saves all streams of the process that are due, in one write. A failed write does not affect the streams. */
export class StreamJournal {
  readonly #store: StreamJournalStore;
  readonly #log: SettlementLog;
  readonly #streams = new Set<Followed>();
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #hasFailed = false;

  constructor(store: StreamJournalStore, log: SettlementLog) {
    this.#store = store;
    this.#log = log;
  }

  /** Call it at the first content, and the returned function before the stream is settled. */
  follow(stream: SentStream): () => void {
    const followed: Followed = { stream, dueAt: this.#tick + TICKS_BETWEEN_NOTES, noted: -1, isOver: false };
    this.#streams.add(followed);
    this.#timer ??= setInterval(() => this.#next(), TICK_MS).unref();
    return () => {
      followed.isOver = true;
      this.#streams.delete(followed);
    };
  }

  /** Waits for the write in progress. Nothing more is saved. */
  async close(): Promise<void> {
    this.#stop();
    this.#streams.clear();
    await this.#writing;
  }

  #next(): void {
    this.#tick += 1;
    if (this.#streams.size === 0) this.#stop();
    if (this.#writing !== undefined) return;
    const due = [...this.#streams].filter(
      ({ stream, dueAt, noted }) => dueAt <= this.#tick && noted !== stream.characters,
    );
    if (due.length === 0) return;
    this.#writing = this.#note(due).finally(() => {
      this.#writing = undefined;
    });
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #note(due: readonly Followed[]): Promise<void> {
    try {
      const noted: { readonly followed: Followed; readonly id: string }[] = [];
      const entries: Unsettled[] = [];
      let sliceBegan = performance.now();
      for (const followed of due) {
        if (followed.isOver) continue;
        followed.dueAt = this.#tick + TICKS_BETWEEN_NOTES;
        followed.noted = followed.stream.characters;
        const entry = followed.stream.soFar();
        entries.push(entry);
        noted.push({ followed, id: entry.generation.id });
        sliceBegan = await yieldAfterSlice(sliceBegan);
      }
      await this.#store.note(entries);
      // Settled meanwhile: if the save came after the settlement, nothing else would delete it.
      const settled = noted.filter(({ followed }) => followed.isOver).map(({ id }) => id);
      if (settled.length > 0) await this.#store.drop(settled);
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) {
        this.#log.error({ err: error }, 'could not note what streams have sent; a crash would lose it');
      }
      this.#hasFailed = true;
      for (const followed of due) followed.noted = -1;
    }
  }
}
