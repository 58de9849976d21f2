import { ConnectError } from '@connectrpc/connect';
import { CommanderError } from 'commander';
import { ErrorDetailSchema } from '../../../gen/byway/v1/error_pb.js';
import { describeFileError, systemCode } from '../../base/file-error.js';
import { Problem, type Violation } from '../../base/problem.js';
import { errorAnswer } from '../../http/error-envelope.js';
import { wordsOfSqlite } from '../../store/open.js';
import { printable } from './table.js';

/** A failure as it is printed. Every text ends with a line break or is empty. */
export interface CommandFailure {
  /** One line; where several rules are broken, one more for each. */
  readonly text: string;
  /** The error envelope (docs/compatibility.md#errors). */
  readonly json: string;
  /** The stack, for an unexpected failure. */
  readonly details: string;
}

/** A failure of a command that ran in another process. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure';
  readonly failure: CommandFailure;

  constructor(failure: CommandFailure) {
    super(failure.text);
    this.failure = failure;
  }
}

/** What to print for whatever a command has thrown. */
export function commandFailureOf(thrown: unknown): CommandFailure {
  if (thrown instanceof ReportedFailure) return thrown.failure;
  if (
    thrown instanceof Problem &&
    thrown.reason === 'database_unavailable' &&
    thrown.cause instanceof Error
  ) {
    const why = wordsOfSqlite(thrown.cause) ?? thrown.cause.message;
    return commandFailureOf(new Problem(thrown.reason, `The database is not available: ${why}`));
  }
  const { body } = errorAnswer(isPublic(thrown) ? thrown : operatorProblem(thrown));
  return {
    text: textOf(body.error.message, violationsOf(thrown)),
    json: `${JSON.stringify(body)}\n`,
    details: thrown instanceof Error && isBug(thrown) ? `${thrown.stack}\n` : '',
  };
}

/** Whether the error has a message for callers. */
function isPublic(thrown: unknown): thrown is Problem | ConnectError {
  return thrown instanceof Problem || thrown instanceof ConnectError;
}

/** The operator, who runs the command, may see what is wrong with configuration, files and database. */
function operatorProblem(thrown: unknown): Problem {
  if (!(thrown instanceof Error) || isBug(thrown)) {
    return new Problem('internal', 'Internal error', { cause: thrown });
  }
  const message = thrown instanceof CommanderError ? usageViolation(thrown) : operatorMessage(thrown);
  return new Problem('invalid_request', printable(message), { cause: thrown });
}

/** An error's message, in our own words for a system error of a file. */
export function operatorMessage(thrown: Error): string {
  const { path }: NodeJS.ErrnoException = thrown;
  return path !== undefined && systemCode(thrown) !== undefined
    ? `cannot use ${describeFileError(path, thrown)}`
    : thrown.message;
}

function usageViolation({ code, message }: CommanderError): string {
  return code === 'commander.help'
    ? 'no command is named; --help lists them'
    : message.replace(/^error: /, '');
}

/** Errors of the language itself are bugs of the program. */
function isBug(thrown: Error): boolean {
  return [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => thrown instanceof kind);
}

function violationsOf(thrown: unknown): readonly Violation[] {
  if (thrown instanceof Problem) return thrown.violations;
  if (thrown instanceof ConnectError) return thrown.findDetails(ErrorDetailSchema)[0]?.violations ?? [];
  return [];
}

function textOf(message: string, violations: readonly Violation[]): string {
  const lines = violations.map(({ field, message: rule }) =>
    printable(field === '' ? rule : `${field}: ${rule}`),
  );
  if (lines.length > 1) return [`byway: ${lines.length} errors`, ...lines].join('\n  ').concat('\n');
  return `byway: ${lines[0] ?? printable(message)}\n`;
}
