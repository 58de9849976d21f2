import { type Logger, pino } from 'pino';
import type { Output } from './command-line.js';

/** Bytes buffered for a stalled reader; further log lines are dropped. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

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
