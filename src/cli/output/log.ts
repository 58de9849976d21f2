import { type Logger, pino } from 'pino';
import type { Output } from '../support/command-line.js';

/** What may wait for a reader that stands still; lines of the log that come then are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * A log of lines on the output. It buffers nothing itself: a buffer that waits to be flushed when the process exits
 * would keep a process alive whose reader has gone.
 */
export function createLog(level: string, output: Output): Logger {
  const write = (line: string) => {
    if ((output.writableLength ?? 0) <= MAX_WAITING_BYTES) output.write(line);
  };
  return pino({ level }, { write });
}
