import { hash, randomBytes, randomUUID } from 'node:crypto';

/** A source of identifiers and secrets, which tests replace. */
export interface Ids {
  /** A new record identifier (RFC 9562). */
  uuid(): string;
  /** `count` random bytes from a cryptographic source, in lower-case hexadecimal. */
  hex(count: number): string;
}

/**
 * UUIDs are of version 7: they begin with the time, so that new rows are adjacent in an index and few of its pages have
 * to be written.
 */
export const systemIds: Ids = {
  uuid: () => `${timeText(Date.now())}-7${randomUUID().slice(15)}`,
  hex: (count) => randomBytes(count).toString('hex'),
};

let timed = { at: -1, text: '' };

/** The first 12 digits of a UUID; cached, since formatting costs the most and many are made in one millisecond. */
function timeText(at: number): string {
  if (timed.at !== at) {
    const time = at.toString(16).padStart(12, '0');
    timed = { at, text: `${time.slice(0, 8)}-${time.slice(8)}` };
  }
  return timed.text;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text has the form of a record identifier. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** SHA-256 in lower-case hexadecimal: the `hash` of a key. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}
