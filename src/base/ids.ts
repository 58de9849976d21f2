import { hash, randomBytes, randomUUID } from 'node:crypto';

/** Where identifiers and secrets come from, so that tests can name them. */
export interface Ids {
  /** A new record identifier in UUID shape (RFC 9562). */
  uuid(): string;
  /** `count` random bytes from a cryptographic source, in lower-case hexadecimal. */
  hex(count: number): string;
}

/** Identifiers from the operating system's randomness. */
export const systemIds: Ids = {
  uuid: () => randomUUID(),
  hex: (count) => randomBytes(count).toString('hex'),
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text has the shape of a record identifier; what has not names no resource. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** SHA-256 of the text in lower-case hexadecimal: the `hash` of a key (spec 2.5). */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}
