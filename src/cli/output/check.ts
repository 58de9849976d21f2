/** Results of `byway db check` and `byway doctor`: one line a check. */
import { type CommandOutcome, report } from './outcome.js';
import { tableLines } from './table.js';

/** `warn` is for what may be intended. */
export interface DoctorCheck {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** The result, or what is wrong; nothing secret. */
  readonly details: readonly string[];
}

/** Failures of one check that are listed; the rest is counted. */
const MAX_LISTED = 100;

/** The check for a list of violations; without any it is `ok` with the message. */
export function violationsCheck(name: string, violations: readonly string[], okMessage: string): DoctorCheck {
  if (violations.length === 0) return { name, status: 'ok', details: [okMessage] };
  const unlisted = violations.length - MAX_LISTED;
  const rest = unlisted > 0 ? [`and ${unlisted} more`] : [];
  return { name, status: 'fail', details: [...violations.slice(0, MAX_LISTED), ...rest] };
}

const WIDTH = 100;

/** All checks as a table and as a document `{ok, checks}`; failed when one of them is. */
export function checksOutcome(checks: readonly DoctorCheck[]): CommandOutcome {
  const ok = checks.every(({ status }) => status !== 'fail');
  const rows = checks.flatMap(({ name, status, details }) =>
    details.map((detail, index) => (index === 0 ? [status, name, detail] : ['', '', detail])),
  );
  return report({ ok, checks }, tableLines(['', 'check', 'found'], rows, WIDTH), !ok);
}
