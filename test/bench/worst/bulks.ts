/** What answers are made large of. */

export const MIB = 1024 * 1024;
export const LARGE_BYTES = 15 * MIB;

export const SSE_TYPE = { 'content-type': 'text/event-stream' };

/** JSON of so many bytes that takes more to handle than to send. */
export const BULKS: readonly (readonly [name: string, make: (bytes: number) => string])[] = [
  ['objects', (bytes) => `[${repeated('{},', bytes)}{}]`],
  ['nested lists', (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)],
  ['nested objects', (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`],
  ['numbers', (bytes) => `[${repeated('1,', bytes)}1]`],
  ['names', (bytes) => `{${numbered((n) => `"n${n}":1,`, bytes)}"z":1}`],
  ['escapes', (bytes) => `"${repeated('\\u00e9', bytes)}"`],
  ['text', (bytes) => `"${repeated('lorem ipsum ', bytes)}"`],
  ['digits', (bytes) => repeated('9', bytes)],
  ['within every limit', () => `[${repeated('{"a":[1,2,3,4]},', (49_000 / 2) * 16)}{}]`],
];

export function repeated(text: string, bytes: number): string {
  return text.repeat(Math.ceil(bytes / text.length));
}

export function numbered(make: (position: number) => string, bytes: number): string {
  const parts: string[] = [];
  for (let position = 0, length = 0; length < bytes; position += 1) {
    const part = make(position);
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}

/** A server-sent event. */
export const event = (data: string) => `data: ${data}\n\n`;
