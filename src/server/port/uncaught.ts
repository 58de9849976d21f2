/**
 * Errors that nobody catches: thrown in a callback, or a rejection that nobody waits for. They come from one request
 * and must not end those of others, so a process that serves goes on, tells of them and counts them. What can't be gone
 * on from never comes here: a start that fails (nothing watches before the server listens), memory that runs out and
 * assertions of native code, which end a process by themselves.
 *
 * Which request an error belongs to is not known: following each through its callbacks (AsyncLocalStorage) costs a
 * third of the time of a request on Node 20. So callbacks of ours turn what they throw into a failure of their request
 * themselves, and here only requests are ended that have no answer long after all that they could wait for is over.
 */
import type { FastifyBaseLogger, FastifyReply } from 'fastify';
import { Problem } from '../../base/problem.js';
import { counts, type Family } from '../metrics/families.js';

/** The part of `process` that is watched. */
export interface WatchedProcess {
  on(event: 'uncaughtException', listener: (error: unknown, origin: string) => void): unknown;
}

/** What is needed to go on after an error. */
export interface UncaughtDependencies {
  readonly log: Pick<FastifyBaseLogger, 'error'>;
  /** Requests that are being answered. */
  readonly open: Iterable<FastifyReply>;
  /** How long a request may take to its first byte when nothing goes wrong. */
  readonly answersWithinMs: number;
}

/** Goes on after errors that nobody catches. */
export interface UncaughtErrors {
  /** `byway_uncaught_errors_total`. */
  readonly family: Family;
  /** From now on no such error ends the process. */
  watch(process: WatchedProcess): void;
}

/** Frames of a stack that are told. */
const MAX_FRAMES = 20;

/** Counts what nobody catches, and logs where it happened: never its message, which may repeat anything. */
export function createUncaughtErrors({ log, open, answersWithinMs }: UncaughtDependencies): UncaughtErrors {
  const family = counts('byway_uncaught_errors_total', 'Errors that nobody caught.', 'kind');
  const cells = { exception: family.at('exception'), rejection: family.at('rejection') };
  const unanswered = createUnanswered(open, answersWithinMs);
  return {
    family,
    watch(process) {
      process.on('uncaughtException', (error, origin) => {
        const kind = origin === 'unhandledRejection' ? 'rejection' : 'exception';
        cells[kind].value += 1;
        log.error({ kind, ...placeOf(error) }, 'an error that nobody caught');
        unanswered.look();
      });
    },
  };
}

/** What an error is and where it was thrown, without what it says. */
export function placeOf(error: unknown): { name: string; code?: string; frames?: string[] } {
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

/** Answers requests whose answer got lost with an error, one round of them at a time. */
function createUnanswered(open: Iterable<FastifyReply>, answersWithinMs: number) {
  let isWaiting = false;
  let isDue = false;
  const look = () => {
    isDue = isWaiting;
    if (isWaiting) return;
    isWaiting = true;
    const waiting = [...open].filter(isUnanswered);
    setTimeout(() => {
      isWaiting = false;
      for (const reply of waiting) if (isUnanswered(reply)) reply.send(lostAnswer());
      if (isDue) look();
    }, answersWithinMs).unref();
  };
  return { look };
}

function isUnanswered({ raw, sent }: FastifyReply): boolean {
  return !sent && !raw.headersSent && !raw.destroyed;
}

function lostAnswer(): Problem {
  return new Problem('internal', 'Internal server error');
}
