/** Texts of clients that are kept as they came, and which no rule of ours refuses. */

/** HTTP/1.1 gives the bytes of a header as Latin-1; clients send UTF-8. Null where there is no text. */
export function headerText(header: string | null): string | null {
  if (!isText(header)) return null;
  const bytes = Buffer.from(header, 'latin1');
  const isLatin1 = header === bytes.toString('latin1');
  const decoded = isLatin1 ? bytes.toString('utf8') : header;
  return storable(decoded.includes(REPLACEMENT) ? header : decoded);
}

const REPLACEMENT = '\uFFFD';

/** What no database can hold is replaced here, so that a text is read back as it was written. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', REPLACEMENT);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
