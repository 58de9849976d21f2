import type { CommandOutcome } from './outcome.js';

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

export interface CommandLine {
  readonly terminal: Terminal;
  /** Takes the output of a command, once. */
  print(outcome: CommandOutcome): void;
}
