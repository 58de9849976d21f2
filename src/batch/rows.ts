/** What is kept of a batch's requests: one text, since there may be half a million of them. */
import type { BatchRow } from './batch.js';

/** As short as it can be. */
type ShortRow = readonly [customId: string, promptTokens: number, images: number, hidden?: 1];

/** Between two rows; JSON has a line break nowhere else. */
const BETWEEN = ',\n';

/** Rows that are made one text at a time. */
const ROWS_PER_PIECE = 1000;

/** Gathers the rows of a batch in their order. */
export class RowWriter {
  readonly #pieces: string[] = [];
  #piece: string[] = [];

  add({ customId, promptTokens, images, isReasoningHidden }: BatchRow): void {
    const row: ShortRow = isReasoningHidden
      ? [customId, promptTokens, images, 1]
      : [customId, promptTokens, images];
    this.#piece.push(JSON.stringify(row));
    if (this.#piece.length === ROWS_PER_PIECE) this.#endPiece();
  }

  /** All rows so far, as JSON that `BatchRows` reads. */
  json(): string {
    this.#endPiece();
    return `[${this.#pieces.join(BETWEEN)}]`;
  }

  #endPiece(): void {
    if (this.#piece.length > 0) this.#pieces.push(this.#piece.join(BETWEEN));
    this.#piece = [];
  }
}

/** The rows of a batch, each read when it is asked for. */
export class BatchRows {
  readonly #json: string;
  readonly #starts: Uint32Array;

  /** `kept` is a `RowWriter`'s, of `total` rows. */
  constructor(kept: string, total: number) {
    const json = total > 1 && !kept.includes(BETWEEN) ? withBreaks(kept) : kept;
    this.#json = json;
    this.#starts = new Uint32Array(total + 1);
    let start = 1;
    for (let row = 0; row < total; row += 1) {
      this.#starts[row] = start;
      const end = json.indexOf(BETWEEN, start);
      // As if something came behind the last one.
      start = (end < 0 ? json.length - 1 : end) + BETWEEN.length;
    }
    this.#starts[total] = start;
  }

  /** The row at this position; undefined for one that the batch does not have. */
  at(row: number): BatchRow | undefined {
    const [start, next] = [this.#starts[row], this.#starts[row + 1]];
    if (start === undefined || next === undefined) return undefined;
    const [customId, promptTokens, images, hidden]: ShortRow = JSON.parse(
      this.#json.slice(start, next - BETWEEN.length),
    );
    return { customId, promptTokens, images, isReasoningHidden: hidden === 1 };
  }
}

/**
 * Batches live for weeks, and processes of two versions serve side by side during an update: rows were once kept with
 * nothing between them but a comma, and never said that reasoning is hidden.
 */
function withBreaks(json: string): string {
  const rows: readonly ShortRow[] = JSON.parse(json);
  return `[${rows.map((row) => JSON.stringify(row)).join(BETWEEN)}]`;
}
