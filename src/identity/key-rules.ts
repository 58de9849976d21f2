import type { NanoUsd } from '../base/money.js';
import type { Violation } from '../base/problem.js';

const NAME_LENGTH = 255;

/** 1e9 USD. */
export const MAX_LIMIT_NANO_USD: NanoUsd = 10n ** 18n;

/** Names and user identifiers have 1 to 255 characters. */
export function checkName(field: string, name: string): Violation[] {
  const length = [...name].length;
  if (length >= 1 && length <= NAME_LENGTH) return [];
  return [{ field, rule: 'length', message: `must have 1 to ${NAME_LENGTH} characters` }];
}

/** A spending limit is 0 to 1e9 USD, or null for none. */
export function checkLimit(field: string, limitNanoUsd: NanoUsd | null): Violation[] {
  if (limitNanoUsd === null || (limitNanoUsd >= 0n && limitNanoUsd <= MAX_LIMIT_NANO_USD)) return [];
  return [{ field, rule: 'range', message: 'must be from 0 to 1000000000' }];
}

const MAX_CACHE_TTL_SECONDS = 86_400;

/** null = nothing is cached. */
export function checkCacheTtl(seconds: number | null): Violation[] {
  if (seconds === null || (seconds >= 1 && seconds <= MAX_CACHE_TTL_SECONDS)) return [];
  return [{ field: 'cache_ttl', rule: 'range', message: `must be from 1 to ${MAX_CACHE_TTL_SECONDS}` }];
}

/** A new key must expire in the future. Both in Unix milliseconds; null = never. */
export function checkExpiry(expiresAt: number | null, now: number): Violation[] {
  if (expiresAt === null || expiresAt > now) return [];
  return [{ field: 'expires_at', rule: 'future', message: 'must be in the future' }];
}

/** For a workspace that the account does not have, whether or not another account has it. */
export const UNKNOWN_WORKSPACE: Violation = {
  field: 'workspace_id',
  rule: 'known',
  message: 'must be a workspace of this account',
};
