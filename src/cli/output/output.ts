/** Handles errors of stdout and stderr: the reader has gone, or the disk is full. */

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

function end({ code }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit();
  process.stderr.write(`byway: standard output cannot be written (${code})\n`);
  process.exit(1);
}

function drop(): void {
  // There is nowhere left to report it.
}
