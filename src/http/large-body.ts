/** Memory that large bodies take, shared between accounts: `docs/operations.md#limits`. */
import { getHeapStatistics } from 'node:v8';
import { FairPlaces, hasFairPlace, type Shares } from '../base/fair-places.js';
import { Problem } from '../base/problem.js';
import { LARGE_BYTES } from './body.js';

/** A body is in memory several times: as bytes, as what is read of them, and as it is sent on. */
const PART_OF_HEAP = 1 / 4;

/** The process holds so many pieces of large bodies, each of `LARGE_BYTES`; two of the largest bodies at least. */
const MAX_PIECES = Math.max(
  Math.floor((getHeapStatistics().heap_size_limit * PART_OF_HEAP) / LARGE_BYTES),
  16,
);

const SHARES: Shares = {
  places: MAX_PIECES,
  shared: Math.floor((MAX_PIECES * 3) / 4),
  reserved: Math.floor(MAX_PIECES / 4),
  partOfFree: 1 / 2,
};

const RETRY_AFTER_S = 1;

const pieces = new FairPlaces({ admits: (demand) => hasFairPlace(demand, SHARES), maxWaiting: 0 });

/** What one body holds, from its first bytes until its request is answered. */
export class LargeBody {
  readonly #account: string;
  #held = 0;

  constructor(account: string) {
    this.#account = account;
  }

  /**
   * To be called with the size so far. Throws a 429 Problem where the account may hold no more, and holds what it held;
   * small bodies always may.
   */
  grow(bytes: number): void {
    const before = this.#held;
    for (const wanted = piecesOf(bytes); this.#held < wanted; this.#held += 1) {
      if (pieces.tryTake(this.#account)) continue;
      this.#shrinkToPieces(before);
      throw tooMany();
    }
  }

  /** Gives back what is held for more bytes than these. */
  shrinkTo(bytes: number): void {
    this.#shrinkToPieces(piecesOf(bytes));
  }

  get isHeld(): boolean {
    return this.#held > 0;
  }

  release(): void {
    this.#shrinkToPieces(0);
  }

  #shrinkToPieces(kept: number): void {
    for (; this.#held > kept; this.#held -= 1) pieces.release(this.#account);
  }
}

function piecesOf(bytes: number): number {
  return bytes <= LARGE_BYTES ? 0 : Math.ceil(bytes / LARGE_BYTES);
}

function tooMany(): Problem {
  return new Problem(
    'rate_limited',
    `Too many bodies of more than ${LARGE_BYTES / 1024 / 1024} MiB are in flight; try again when some are answered`,
    { retryAfterSeconds: RETRY_AFTER_S },
  );
}
