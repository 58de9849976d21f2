/** Handles errors of stdout and stderr: the reader has gone, or the disk is full. */
import { type Logger, pino } from 'pino';
import type { Output } from '../support/command-line.js';

/** Bytes buffered for a stalled reader; further log lines are dropped. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

type Streams = Pick<NodeJS.Process, 'stdout' | 'stderr'>;

/**
 * Makes a command end as soon as it can't write to stdout: quietly when its reader has seen enough, such as `head`,
 * else with 1. What can't be written to stderr is dropped.
 */
export function endWithReader({ stdout, stderr }: Streams): void {
  stdout.on('error', end);
  stderr.on('error', drop);
}

/** Makes a server go on whatever happens to stdout: it tries again with the next line. */
export function outliveReader({ stdout }: Streams): void {
  stdout.on('error', drop).off('error', end);
}

/**
 * A log of lines on the output. It buffers nothing itself: a buffer that waits to be flushed when the process exits
 * would keep a process alive whose reader has gone.
 */
export function createLog(level: string, output: Output): Logger {
  const write = (line: string) => {
    if ((output.writableLength ?? 0) <= MAX_BUFFERED_BYTES) output.write(line);
  };
  return pino({ level }, { write });
}

function end({ code }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit();
  process.stderr.write(`byway: standard output cannot be written (${code})\n`);
  process.exit(1);
}

function drop(): void {
  // There is nowhere left to report it.
}
