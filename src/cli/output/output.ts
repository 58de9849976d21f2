/** What becomes of a process when what it writes can't be written: its reader has gone, or the disk is full. */

type Streams = Pick<NodeJS.Process, 'stdout' | 'stderr'>;

/**
 * A command ends as soon as it can't write to stdout: quietly where its reader has seen enough, such as `head`, else
 * with 1. What can't be written to stderr is dropped.
 */
export function endWithReader({ stdout, stderr }: Streams): void {
  stdout.on('error', end);
  stderr.on('error', drop);
}

/** A server goes on from here, whatever becomes of stdout: it writes again with the next line. */
export function outliveReader({ stdout }: Streams): void {
  stdout.on('error', drop).off('error', end);
}

function end({ code }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit();
  process.stderr.write(`byway: standard output cannot be written (${code})\n`);
  process.exit(1);
}

function drop(): void {
  // Nobody is left to be told.
}
