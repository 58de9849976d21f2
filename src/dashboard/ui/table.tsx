import type { ReactNode } from 'react';

/** A column: its heading, and what a row shows in it. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  readonly isNumber?: boolean;
  /** Whether the heading is for screen readers only. */
  readonly isUntitled?: boolean;
}

interface TableProps<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

/** A table; on narrow screens every row becomes a block whose cells name their column. */
export function Table<T>({ caption, columns, rows, keyOf }: TableProps<T>) {
  return (
    <div className="table-frame">
      <table className="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" className={column.isNumber ? 'number' : undefined}>
                {column.isUntitled ? <span className="visually-hidden">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td
                  key={column.title}
                  data-column={column.isUntitled ? '' : column.title}
                  className={column.isNumber ? 'number' : undefined}
                >
                  <div className="cell">{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface PagerProps {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  /** False when there are more than `total`. */
  readonly isExact?: boolean;
  readonly onMove: (offset: number) => void;
}

/** Buttons for the pages of a list; nothing when there is only one page. */
export function Pager({ offset, limit, total, isExact = true, onMove }: PagerProps) {
  if (total <= limit && offset === 0) return null;
  return (
    <nav className="pager" aria-label="Pages">
      <span className="muted">
        {isExact
          ? `${Math.min(offset + 1, total)}–${Math.min(offset + limit, total)} of ${total}`
          : `${offset + 1}–${offset + limit} of more than ${total}`}
      </span>
      <button
        type="button"
        className="button plain"
        disabled={offset === 0}
        onClick={() => onMove(Math.max(0, offset - limit))}
      >
        Previous
      </button>
      <button
        type="button"
        className="button plain"
        disabled={isExact && offset + limit >= total}
        onClick={() => onMove(offset + limit)}
      >
        Next
      </button>
    </nav>
  );
}
