/** Stores the rows of a batch in one string, since there may be half a million of them. */
import type { BatchRow, BatchToolNames } from './batch.js';

type ShortRow = readonly [
  customId: string,
  promptTokens: number,
  images: number,
  hidden?: 0 | 1,
  toolNames?: BatchToolNames,
];

/** Separates rows. `JSON.stringify` writes no line break, so this occurs nowhere else. */
const BETWEEN = ',\n';

/** Rows that are joined at a time. */
const ROWS_PER_PIECE = 1000;

export class RowWriter {
  readonly #pieces: string[] = [];
  #piece: string[] = [];

  add(row: BatchRow): void {
    this.#piece.push(JSON.stringify(shortRow(row)));
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

function shortRow({ customId, promptTokens, images, isReasoningHidden, toolNames }: BatchRow): ShortRow {
  if (toolNames !== undefined) {
    return [customId, promptTokens, images, isReasoningHidden ? 1 : 0, toolNames];
  }
  return isReasoningHidden ? [customId, promptTokens, images, 1] : [customId, promptTokens, images];
}

/** The rows of a batch, each parsed on access. */
export class BatchRows {
  readonly #json: string;
  readonly #starts: Uint32Array;

  /** `stored` is the JSON of a `RowWriter`, with `total` rows. */
  constructor(stored: string, total: number) {
    const json = total > 1 && !stored.includes(BETWEEN) ? withBreaks(stored) : stored;
    this.#json = json;
    this.#starts = new Uint32Array(total + 1);
    let start = 1;
    for (let row = 0; row < total; row += 1) {
      this.#starts[row] = start;
      const end = json.indexOf(BETWEEN, start);
      // The last row ends before the closing bracket, as if a separator followed.
      start = (end < 0 ? json.length - 1 : end) + BETWEEN.length;
    }
    this.#starts[total] = start;
  }

  /** undefined beyond the last row. */
  at(row: number): BatchRow | undefined {
    const [start, next] = [this.#starts[row], this.#starts[row + 1]];
    if (start === undefined || next === undefined) return undefined;
    const [customId, promptTokens, images, hidden, toolNames]: ShortRow = JSON.parse(
      this.#json.slice(start, next - BETWEEN.length),
    );
    const read = { customId, promptTokens, images, isReasoningHidden: hidden === 1 };
    return toolNames === undefined ? read : { ...read, toolNames };
  }
}

/**
 * Converts the format of earlier versions, which separated rows by a comma alone. Batches live for weeks, and during an
 * upgrade processes of two versions serve side by side.
 */
function withBreaks(json: string): string {
  const rows: readonly ShortRow[] = JSON.parse(json);
  return `[${rows.map((row) => JSON.stringify(row)).join(BETWEEN)}]`;
}
