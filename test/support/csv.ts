/**
 * Reads CSV by the grammar of RFC 4180 alone: every line ends with CRLF, and has as many fields as the header. Throws for
 * any text that is not of it.
 */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let rest = text;
  while (rest !== '') {
    const [whole, escaped, plain] = FIELD.exec(rest) ?? [];
    if (whole === undefined) throw new Error(`not CSV: ${rest.slice(0, 40)}`);
    rows.at(-1)?.push(escaped?.replaceAll('""', '"') ?? plain ?? '');
    rest = rest.slice(whole.length);
    if (rest.startsWith(',')) {
      rest = rest.slice(1);
      continue;
    }
    if (!rest.startsWith('\r\n')) throw new Error(`not the end of a line: ${rest.slice(0, 40)}`);
    rest = rest.slice(2);
    rows.push([]);
  }
  if (rows.pop()?.length !== 0) throw new Error('the last line has no end');
  const [header] = rows;
  if (rows.some((row) => row.length !== header?.length)) throw new Error('lines differ in their fields');
  return rows;
}

const FIELD = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))/;

/** By the names of the header. */
export function csvRecords(text: string): Record<string, string>[] {
  const [header = [], ...rows] = readCsv(text);
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])));
}
