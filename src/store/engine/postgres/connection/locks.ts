import { createHash } from 'node:crypto';

/** The number of the advisory lock for a name. Names with the same number, all but impossible, would share a lock. */
export function lockNumber(name: string): bigint {
  return createHash('sha256').update(name).digest().readBigInt64BE(0);
}

/** For use in a statement. */
export function lockLiteral(number: bigint): string {
  return `'${number}'::bigint`;
}
