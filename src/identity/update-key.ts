import { applyChange, applyRequired, type Change, mustNotBeNull, sent, withFields } from '../base/change.js';
import type { NanoUsd } from '../base/money.js';
import { invalid, notFound, type Violation } from '../base/problem.js';
import type { Interval } from '../ledger/balance/windows.js';
import { type ApiKey, scopeOf } from './api-key.js';
import type { KeyDependencies } from './create-key.js';
import { describeKey, type KeyRecord } from './key-record.js';
import { checkCacheTtl, checkLimit, checkName } from './key-rules.js';
import type { KeyAdministrator } from './principal.js';

/** Only limits, their resets and the time of cached answers can be cleared. */
export interface KeyChanges {
  readonly name: Change<string>;
  readonly disabled: Change<boolean>;
  readonly limitNanoUsd: Change<NanoUsd>;
  readonly limitReset: Change<Interval>;
  readonly includeByokInLimit: Change<boolean>;
  readonly endUserLimitNanoUsd: Change<NanoUsd>;
  readonly endUserLimitReset: Change<Interval>;
  readonly endUserRequired: Change<boolean>;
  readonly cacheTtl: Change<number>;
}

/**
 * Concurrent updates of different fields all take effect. `updatedAt` changes only if a value does. Throws a 400
 * Problem that names every violation, 404 for a key outside of the caller's scope.
 */
export async function updateKey(
  { store, usage, clock }: Pick<KeyDependencies, 'store' | 'usage' | 'clock'>,
  administrator: KeyAdministrator,
  hash: string,
  changes: KeyChanges,
): Promise<KeyRecord> {
  const violations = changeViolations(changes);
  if (violations.length > 0) throw invalid(violations);
  const scope = scopeOf(administrator);
  const key = await store.updateKey(scope, hash, (current) => changed(current, changes, clock.now()));
  if (key === undefined) throw notFound();
  return describeKey(usage, key, clock.now());
}

function changeViolations(changes: KeyChanges): Violation[] {
  return [
    ...mustNotBeNull('name', changes.name),
    ...(changes.name.kind === 'set' ? checkName('name', changes.name.value) : []),
    ...mustNotBeNull('disabled', changes.disabled),
    ...checkLimit('limit', sent(changes.limitNanoUsd) ?? null),
    ...mustNotBeNull('include_byok_in_limit', changes.includeByokInLimit),
    ...checkLimit('end_user_limit', sent(changes.endUserLimitNanoUsd) ?? null),
    ...mustNotBeNull('end_user_required', changes.endUserRequired),
    ...checkCacheTtl(sent(changes.cacheTtl) ?? null),
  ];
}

/** Returns the same object when no value changes. */
function changed(current: ApiKey, changes: KeyChanges, now: number): ApiKey {
  const fields = {
    name: applyRequired(changes.name, current.name),
    disabled: applyRequired(changes.disabled, current.disabled),
    limitNanoUsd: applyChange(changes.limitNanoUsd, current.limitNanoUsd),
    limitReset: applyChange(changes.limitReset, current.limitReset),
    includeByokInLimit: applyRequired(changes.includeByokInLimit, current.includeByokInLimit),
    endUserLimitNanoUsd: applyChange(changes.endUserLimitNanoUsd, current.endUserLimitNanoUsd),
    endUserLimitReset: applyChange(changes.endUserLimitReset, current.endUserLimitReset),
    endUserRequired: applyRequired(changes.endUserRequired, current.endUserRequired),
    cacheTtl: applyChange(changes.cacheTtl, current.cacheTtl),
  };
  return withFields(current, fields, now);
}
