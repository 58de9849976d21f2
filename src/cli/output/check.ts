/** Results of `byway db check` and `byway doctor`: one line a check. */
import { type Outcome, report } from './outcome.js';
import { tableLines } from './table.js';

/** `warn` is for what may be as it is meant. */
export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** What was found, or what is wrong; nothing secret. */
  readonly details: readonly string[];
}

/** Faults of one check that are listed; the rest is counted. */
const MAX_LISTED = 100;

/** The check for a list of faults: `ok` with the praise when there is none. */
export function violationsCheck(name: string, violations: readonly string[], praise: string): Check {
  if (violations.length === 0) return { name, status: 'ok', details: [praise] };
  const untold = violations.length - MAX_LISTED;
  const rest = untold > 0 ? [`and ${untold} more`] : [];
  return { name, status: 'fail', details: [...violations.slice(0, MAX_LISTED), ...rest] };
}

const WIDTH = 100;

/** All checks as a table and as a document `{ok, checks}`; failed when one of them is. */
export function checksOutcome(checks: readonly Check[]): Outcome {
  const ok = checks.every(({ status }) => status !== 'fail');
  const rows = checks.flatMap(({ name, status, details }) =>
    details.map((detail, index) => (index === 0 ? [status, name, detail] : ['', '', detail])),
  );
  return report({ ok, checks }, tableLines(['', 'check', 'found'], rows, WIDTH), !ok);
}
