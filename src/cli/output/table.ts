/** Plain-text tables for a terminal: aligned columns within a width. */

/** Space between columns. */
const GAP = '  ';
/** Min width of a column. */
const MIN_COLUMN = 6;

/**
 * Lines of a table, header first, none longer than `width` (as long as so many columns fit at all). The widest
 * columns are narrowed first and their cells shortened with `…`; the last column wraps at spaces instead.
 */
export function tableLines(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] {
  const cells = [header, ...rows].map((row) => header.map((_, column) => printable(row[column] ?? '')));
  const widths = narrowed(
    header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))),
    width - GAP.length * (header.length - 1),
  );
  return cells.flatMap((row) => rowLines(row, widths));
}

/** Replaces control characters, so that a name can't move the cursor. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}

/** Narrows the widest column by one until all fit. */
function narrowed(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, one) => sum + one, 0) - width;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= MIN_COLUMN) break;
    widths[widths.lastIndexOf(widest)] = widest - 1;
    excess -= 1;
  }
  return widths;
}

function rowLines(row: readonly string[], widths: readonly number[]): string[] {
  const last = widths.length - 1;
  const [first = '', ...further] = wrap(row[last] ?? '', widths[last] ?? 0);
  const lead = row.slice(0, last).map((cell, column) => padTo(cell, widths[column] ?? 0));
  const blank = lead.map((cell) => ' '.repeat(cell.length));
  const lines = [[...lead, first], ...further.map((text) => [...blank, text])];
  return lines.map((line) => line.join(GAP).trimEnd());
}

function padTo(cell: string, width: number): string {
  return cell.length <= width ? cell.padEnd(width) : `${cell.slice(0, width - 1)}…`;
}

/** Breaks at spaces; a word that is longer than a line is broken anywhere. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > 0 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  lines.push(rest);
  return lines;
}
