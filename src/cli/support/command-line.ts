import type { Outcome } from '../output/outcome.js';

/** Where text goes. */
export interface Output {
  write(text: string): unknown;
  /** Whether it is a terminal. */
  readonly isTTY?: boolean;
  /** Bytes that are still to be written. */
  readonly writableLength?: number;
  /** Characters in a line of the terminal. */
  readonly columns?: number;
}

/** The streams of a process. */
export interface Terminal {
  readonly stdin: AsyncIterable<Buffer> & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
}

/** What the commands work with. */
export interface CommandLine {
  readonly terminal: Terminal;
  /** Takes what a command has to say, once. */
  print(outcome: Outcome): void;
}
