/** Stores the rows of a batch in one string, since there may be half a million of them. */
import type { BatchRow, BatchToolNames, RowRefusal } from './batch.js';

type ShortRow = readonly [
  customId: string,
  promptTokens: number,
  images: number,
  hidden?: 0 | 1,
  /** Empty = called as given. */
  toolNames?: BatchToolNames,
  endUser?: string | null,
];

/** Behind the last row: requests that were not sent, by why. Earlier versions don't read it. */
interface Refused {
  readonly refused: readonly (readonly [status: number, message: string, rows: readonly number[]])[];
}

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

/** The rows of a `RowWriter`, with what of them was refused by position. */
export function withRefused(rowsJson: string, refused: ReadonlyMap<number, RowRefusal>): string {
  if (refused.size === 0) return rowsJson;
  const byMessage = new Map<string, { readonly status: number; readonly rows: number[] }>();
  for (const [row, { status, message }] of refused) {
    const known = byMessage.get(message);
    if (known === undefined) byMessage.set(message, { status, rows: [row] });
    else known.rows.push(row);
  }
  const all: Refused = {
    refused: [...byMessage].map(([message, { status, rows }]) => [status, message, rows]),
  };
  return `${rowsJson.slice(0, -1)}${BETWEEN}${JSON.stringify(all)}]`;
}

function shortRow({
  customId,
  promptTokens,
  images,
  isReasoningHidden,
  toolNames,
  endUser,
}: BatchRow): ShortRow {
  const hidden = isReasoningHidden ? 1 : 0;
  if (endUser !== null) return [customId, promptTokens, images, hidden, toolNames ?? {}, endUser];
  if (toolNames !== undefined) return [customId, promptTokens, images, hidden, toolNames];
  return isReasoningHidden ? [customId, promptTokens, images, 1] : [customId, promptTokens, images];
}

/** The rows of a batch, each parsed on access. */
export class BatchRows {
  readonly #json: string;
  readonly #starts: Uint32Array;
  /** The requests that were not sent, by position. */
  readonly refused: ReadonlyMap<number, RowRefusal>;

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
    const hasMore = total > 0 && start < json.length;
    this.refused = hasMore ? refusedIn(JSON.parse(json.slice(start, -1))) : NOTHING_REFUSED;
  }

  /** undefined beyond the last row. */
  at(row: number): BatchRow | undefined {
    const [start, next] = [this.#starts[row], this.#starts[row + 1]];
    if (start === undefined || next === undefined) return undefined;
    const [customId, promptTokens, images, hidden, toolNames, endUser = null]: ShortRow = JSON.parse(
      this.#json.slice(start, next - BETWEEN.length),
    );
    const read = { customId, promptTokens, images, isReasoningHidden: hidden === 1, endUser };
    const isNamed = toolNames !== undefined && Object.keys(toolNames).length > 0;
    return isNamed ? { ...read, toolNames } : read;
  }
}

const NOTHING_REFUSED: ReadonlyMap<number, RowRefusal> = new Map();

function refusedIn({ refused }: Refused): ReadonlyMap<number, RowRefusal> {
  return new Map(
    refused.flatMap(([status, message, rows]) => rows.map((row) => [row, { status, message }] as const)),
  );
}

/**
 * Converts the format of earlier versions, which separated rows by a comma alone. Batches live for weeks, and during an
 * upgrade processes of two versions serve side by side.
 */
function withBreaks(json: string): string {
  const rows: readonly ShortRow[] = JSON.parse(json);
  return `[${rows.map((row) => JSON.stringify(row)).join(BETWEEN)}]`;
}
