/**
 * Uncaught errors: thrown in a callback, or unhandled rejections. They come from one request and must not end those
 * of others, so a serving process goes on, and logs and counts them (docs/adr/0018-errors-that-nobody-catches.md).
 * Fatal ones never come here: a failed start (nothing is watched before the server listens), and out of memory and
 * assertions of native code, which end the process by themselves.
 *
 * Which request an error belongs to is not known: following each through its callbacks (AsyncLocalStorage) costs a
 * third of the time of a request on Node 20. So our own callbacks turn what they throw into a failure of their
 * request, and here only those requests are ended that have no answer long after every timeout of theirs has passed.
 */
import type { FastifyBaseLogger } from 'fastify';
import { Problem } from '../base/problem.js';
import { counter, type Family } from './metrics/families.js';
import { isUnanswered, type OpenAnswer } from './port/open-answers.js';

/** The part of `process` that is watched. */
export interface WatchedProcess {
  on(event: 'uncaughtException', listener: (error: unknown, origin: string) => void): unknown;
}

export interface UncaughtDependencies {
  readonly log: Pick<FastifyBaseLogger, 'error'>;
  /** Requests that are being answered. */
  readonly open: Iterable<OpenAnswer>;
  /** How long a request may take to its first byte when nothing goes wrong. */
  readonly answersWithinMs: number;
}

export interface UncaughtErrors {
  /** `byway_uncaught_errors_total`. */
  readonly family: Family;
  /** From now on no such error ends the process. */
  watch(process: WatchedProcess): void;
}

/** Stack frames that are logged. */
const MAX_FRAMES = 20;

/** Counts uncaught errors and logs where they happened: never their messages, which may contain anything. */
export function createUncaughtErrors({ log, open, answersWithinMs }: UncaughtDependencies): UncaughtErrors {
  const family = counter('byway_uncaught_errors_total', 'Errors that nobody caught.', 'kind');
  const cells = { exception: family.at('exception'), rejection: family.at('rejection') };
  const unanswered = createUnanswered(open, answersWithinMs);
  return {
    family,
    watch(process) {
      process.on('uncaughtException', (error, origin) => {
        const kind = origin === 'unhandledRejection' ? 'rejection' : 'exception';
        cells[kind].value += 1;
        log.error({ kind, ...framesOf(error) }, 'an error that nobody caught');
        unanswered.schedule();
      });
    },
  };
}

/** Name, code and stack frames of an error, without its message. */
export function framesOf(error: unknown): { name: string; code?: string; frames?: string[] } {
  if (!(error instanceof Error)) return { name: typeof error };
  const { name, message, stack = '' } = error;
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const begin = stack.indexOf(message) + message.length;
  const frames = stack
    .slice(begin)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, MAX_FRAMES);
  return { name, ...code, frames };
}

/** Fails requests whose answer was lost with an error, one round of them at a time. */
function createUnanswered(open: Iterable<OpenAnswer>, answersWithinMs: number) {
  let isWaiting = false;
  let isDue = false;
  const schedule = () => {
    isDue = isWaiting;
    if (isWaiting) return;
    isWaiting = true;
    const waiting = [...open].filter(isUnanswered);
    setTimeout(() => {
      isWaiting = false;
      for (const reply of waiting) if (isUnanswered(reply)) reply.send(lostAnswer());
      if (isDue) schedule();
    }, answersWithinMs).unref();
  };
  return { schedule };
}

function lostAnswer(): Problem {
  return new Problem('internal', 'Internal server error');
}
