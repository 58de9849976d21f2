import { createHash } from 'node:crypto';

/**
 * The number of an advisory lock for a name, in decimal. Two names of the same number only wait for each other; with
 * 64 bits that never happens in practice.
 */
export function lockNumber(name: string): bigint {
  return createHash('sha256').update(name).digest().readBigInt64BE(0);
}

/** How a lock's number is written in a statement. */
export function lockLiteral(number: bigint): string {
  return `'${number}'::bigint`;
}
