/** The end users behind one API key: each has the key's limit of them for itself. See `docs/money.md#end-users`. */
import type { NanoUsd } from '../base/money.js';
import type { Interval } from './balance/windows.js';
import type { SpendLimit } from './limits.js';
import { subjects } from './payer.js';

/** What an API key says of its end users. */
export interface EndUserRules {
  readonly keyHash: string;
  /** null = no limit. */
  readonly limitNanoUsd: NanoUsd | null;
  /** null = the limit never resets. */
  readonly interval: Interval | null;
  readonly includeByok: boolean;
  /** Whether requests that name nobody are refused. */
  readonly isRequired: boolean;
}

/** The limit of an end user; null where there is none. `name` null = nobody. */
export function endUserLimit(rules: EndUserRules | null, name: string | null): SpendLimit | null {
  if (rules === null || name === null || rules.limitNanoUsd === null) return null;
  const { keyHash, limitNanoUsd, interval, includeByok } = rules;
  return {
    kind: 'end_user',
    subject: subjects.endUser(keyHash, name),
    interval,
    includeByok,
    limitNanoUsd,
    id: name,
    name,
    title: null,
  };
}
