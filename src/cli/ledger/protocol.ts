/** What a command and the server say to each other: lines of JSON over a socket in the data directory. */
import { join } from 'node:path';
import type { CommandFailure } from '../output/failure.js';
import type { CommandOutcome } from '../output/outcome.js';

/** The first and only line of a command. */
export interface CommandRequest {
  readonly name: string;
  readonly input: unknown;
  /** Null where stderr is no terminal. */
  readonly columns: number | null;
}

/** The last line has an outcome (null = none) or a failure. */
export type CommandLineOut =
  | { readonly stdout: string }
  | { readonly stderr: string }
  | { readonly outcome: CommandOutcome | null }
  | { readonly failure: CommandFailure };

export function socketPath(dataDir: string): string {
  return join(dataDir, 'byway.sock');
}

/** The length of `sockaddr_un.sun_path` without its last byte: systems have 104 to 108, Linux 108. */
export const MAX_SOCKET_PATH_BYTES = 103;

/** More than a batch of the largest size in base64. */
export const MAX_REQUEST_CHARACTERS = 64 * 1024 * 1024;
