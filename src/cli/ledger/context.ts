import type { Terminal } from '../output/command-line.js';

export interface CommandContext {
  /** The terminal of whoever gave the command, in this process or another one. */
  readonly terminal: Pick<Terminal, 'stdout' | 'stderr'>;
  /** Aborted when they have gone. */
  readonly signal: AbortSignal;
  /** Resolves when the terminal can take more. */
  written(): Promise<void>;
}
