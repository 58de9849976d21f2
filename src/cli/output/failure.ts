import { ConnectError } from '@connectrpc/connect';
import { CommanderError } from 'commander';
import { ErrorDetailSchema } from '../../../gen/byway/v1/error_pb.js';
import { describeFileError, systemCode } from '../../base/file-error.js';
import { Problem, type Violation } from '../../base/problem.js';
import { errorAnswer } from '../../http/envelope.js';
import { printable } from './table.js';

/** A failure as it is printed. Every text ends with a line break or is empty. */
export interface Failure {
  /** One line; where several rules are broken, one more for each. */
  readonly text: string;
  /** The error envelope (spec section 7). */
  readonly json: string;
  /** Where it happened, for a failure that nobody foresaw. */
  readonly details: string;
}

/** What to print for whatever a command has thrown. */
export function failureOf(thrown: unknown): Failure {
  const { body } = errorAnswer(isSpoken(thrown) ? thrown : operatorProblem(thrown));
  return {
    text: textOf(body.error.message, violationsOf(thrown)),
    json: `${JSON.stringify(body)}\n`,
    details: thrown instanceof Error && isMistake(thrown) ? `${thrown.stack}\n` : '',
  };
}

/** An error that says by itself what a caller may know. */
function isSpoken(thrown: unknown): thrown is Problem | ConnectError {
  return thrown instanceof Problem || thrown instanceof ConnectError;
}

/** Whoever runs a command is the operator, who may know what is wrong with configuration, files and database. */
function operatorProblem(thrown: unknown): Problem {
  if (!(thrown instanceof Error) || isMistake(thrown)) {
    return new Problem('internal', 'Internal error', { cause: thrown });
  }
  const message = thrown instanceof CommanderError ? usageViolation(thrown) : operatorMessage(thrown);
  return new Problem('invalid_request', printable(message), { cause: thrown });
}

/** An error's message, in words where the system's own has none for a file. */
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

/** Errors that the language itself throws are mistakes of the program. */
function isMistake(thrown: Error): boolean {
  return [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => thrown instanceof kind);
}

function violationsOf(thrown: unknown): readonly Violation[] {
  if (thrown instanceof Problem) return thrown.violations;
  if (thrown instanceof ConnectError) return thrown.findDetails(ErrorDetailSchema)[0]?.violations ?? [];
  return [];
}

function textOf(message: string, violations: readonly Violation[]): string {
  const told = violations.map(({ field, message: rule }) =>
    printable(field === '' ? rule : `${field}: ${rule}`),
  );
  if (told.length > 1) return [`byway: ${told.length} faults`, ...told].join('\n  ').concat('\n');
  return `byway: ${told[0] ?? printable(message)}\n`;
}
