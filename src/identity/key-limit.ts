import type { SpendLimit } from '../ledger/limits.js';
import { subjects } from '../ledger/payer.js';
import type { ApiKey } from './api-key.js';

/** The spending limit of a key; null = none. */
export function keyLimit({
  hash,
  limitNanoUsd,
  limitReset,
  includeByokInLimit,
}: Pick<ApiKey, 'hash' | 'limitNanoUsd' | 'limitReset' | 'includeByokInLimit'>): SpendLimit | null {
  if (limitNanoUsd === null) return null;
  return {
    kind: 'key',
    subject: subjects.key(hash),
    interval: limitReset,
    includeByok: includeByokInLimit,
    limitNanoUsd,
    title: null,
  };
}
