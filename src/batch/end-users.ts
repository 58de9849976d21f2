/** Whom the requests of a batch are made for, and which of them the limits of these refuse: `docs/batches.md#end-users`. */
import type { Violation } from '../base/problem.js';
import { endUserOf, missingEndUser } from '../formats/end-user.js';
import type { JsonObject } from '../formats/json.js';
import { type Admission, admit, type SpendRequest } from '../ledger/admission.js';
import { admitParts } from '../ledger/admit-parts.js';
import type { Balance, Reserve } from '../ledger/balance/balance.js';
import { type EndUserRules, endUserLimit } from '../ledger/end-users.js';
import { heldLimit, limitReserved } from '../ledger/held-money.js';
import { isSpent, limitReached, type ReachedLimit, type SpendLimit } from '../ledger/limits.js';
import type { RowRefusal } from './batch.js';
import type { MeasuredRows } from './ports.js';

/** End users with a limit in one batch: for each a reservation is written while the account's ledger waits. */
const MAX_LIMITED_END_USERS = 1_000;

/** Whom a request names, as a chat does; null = nobody. */
export function endUserOfRow(body: JsonObject): string | null {
  return endUserOf(null, 'chat', body);
}

/** The limit of whom a request names; null = none applies. */
export function limitFor(rules: EndUserRules | null, body: JsonObject): SpendLimit | null {
  return rules?.limitNanoUsd === null ? null : endUserLimit(rules, endUserOfRow(body));
}

/** Finds what the rules of the API key refuse of requests, in their order. */
export class EndUserCheck {
  readonly #rules: EndUserRules | null;
  readonly #limited = new Set<string>();

  constructor(rules: EndUserRules | null) {
    this.#rules = rules;
  }

  /** `field` is the path of the body. */
  violations(field: string, body: JsonObject): readonly Violation[] {
    if (this.#rules === null) return NONE;
    const endUser = endUserOfRow(body);
    if (endUser === null) {
      if (!this.#rules.isRequired) return NONE;
      const { rule } = missingEndUser('chat');
      return [{ field: `${field}.safety_identifier`, rule, message: MISSING }];
    }
    if (this.#rules.limitNanoUsd === null || this.#limited.has(endUser)) return NONE;
    this.#limited.add(endUser);
    if (this.#limited.size <= MAX_LIMITED_END_USERS) return NONE;
    return [{ field: `${field}.safety_identifier`, rule: 'end_users', message: TOO_MANY }];
  }
}

const NONE: readonly Violation[] = [];
const MISSING = 'must name the end user, or user must: the API key of the batch requires one';
const TOO_MANY = `names one more than the ${MAX_LIMITED_END_USERS} end users that a batch of an API key with end_user_limit may have: send another batch`;

/** The ledger's decision on a batch, what it reserves by end users who have a limit (null = for all others), and who is refused. */
export interface RowsAdmission {
  readonly admission: Admission;
  readonly reserves: ReadonlyMap<string | null, Reserve>;
  readonly refused: ReadonlyMap<number, RowRefusal>;
}

/** `balanceOf` must know the payer's account and the subject of every limit, of end users too. */
export function admitRows(
  { maxCostNanoUsd, parts }: MeasuredRows,
  spend: Omit<SpendRequest, 'maxCost'>,
  balanceOf: (subject: string) => Balance,
): RowsAdmission {
  const maxCost = { sharedNanoUsd: null, byokNanoUsd: maxCostNanoUsd };
  const admission = admit({ ...spend, maxCost }, balanceOf);
  if (admission.kind !== 'admitted') return { admission, ...NOTHING };
  if (parts === null) return { ...NOTHING, admission, reserves: new Map([[null, admission.reserve]]) };
  const { reserves, refused } = admitParts(spend, parts, balanceOf);
  const [first] = refused.values();
  if (first !== undefined && refused.size === parts.length)
    return { admission: allRefused(first), ...NOTHING };
  const rows = [...refused].map(([row, reached]) => [row, refusedRow(reached, spend.at)] as const);
  return { admission, reserves, refused: new Map(rows) };
}

const NOTHING = { reserves: new Map(), refused: new Map() } as const;

/** The result of a request whose end user's limit is reached. `at` is in Unix milliseconds. */
function refusedRow(reached: ReachedLimit, at: number): RowRefusal {
  const { httpStatus, message } = isSpent(reached)
    ? limitReached(reached, at)
    : limitReserved(heldLimit(reached), at);
  return { status: httpStatus, message };
}

/** The refusal of a batch of which no request is left. */
function allRefused(first: ReachedLimit): Admission {
  return isSpent(first)
    ? { kind: 'blocked', ...first }
    : { kind: 'held', held: heldLimit(first), left: null };
}
