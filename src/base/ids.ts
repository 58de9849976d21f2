import { hash, randomBytes, randomUUID } from 'node:crypto';

/** Where identifiers and secrets come from, so that tests can name them. */
export interface Ids {
  /** A new record identifier in UUID shape (RFC 9562). */
  uuid(): string;
  /** `count` random bytes from a cryptographic source, in lower-case hexadecimal. */
  hex(count: number): string;
}

/**
 * Identifiers from the operating system's randomness. UUIDs are of version 7: they begin with the time, so that new
 * rows stand together in an index and few of its pages have to be written.
 */
export const systemIds: Ids = {
  uuid: () => `${timeText(Date.now())}-7${randomUUID().slice(15)}`,
  hex: (count) => randomBytes(count).toString('hex'),
};

let timed = { at: -1, text: '' };

/** How identifiers of the millisecond begin; many are made in the same one, and writing it down costs the most. */
function timeText(at: number): string {
  if (timed.at !== at) {
    const time = at.toString(16).padStart(12, '0');
    timed = { at, text: `${time.slice(0, 8)}-${time.slice(8)}` };
  }
  return timed.text;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text has the shape of a record identifier; what has not names no resource. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** SHA-256 of the text in lower-case hexadecimal: the `hash` of a key (spec 2.5). */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}
