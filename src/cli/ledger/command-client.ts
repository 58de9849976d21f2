import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Terminal } from '../output/command-line.js';
import { ReportedFailure } from '../output/failure.js';
import type { CommandOutcome } from '../output/outcome.js';
import { type CommandLineOut, type CommandRequest, MAX_SOCKET_PATH_BYTES, socketPath } from './protocol.js';

export interface CommandAnswer {
  readonly outcome: CommandOutcome | undefined;
}

/** Undefined when no server can be reached. Rejects with ReportedFailure when the command fails there. */
export async function askServer(
  dataDir: string,
  request: Omit<CommandRequest, 'columns'>,
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>,
): Promise<CommandAnswer | undefined> {
  const socket = await connect(socketPath(dataDir));
  if (socket === undefined) return undefined;
  const columns = stderr.isTTY === true ? (stderr.columns ?? 0) : null;
  const asked: CommandRequest = { ...request, columns };
  socket.write(`${JSON.stringify(asked)}\n`);
  for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
    const said: CommandLineOut = JSON.parse(line);
    if ('stdout' in said) stdout.write(said.stdout);
    else if ('stderr' in said) stderr.write(said.stderr);
    else if ('failure' in said) throw new ReportedFailure(said.failure);
    else return { outcome: said.outcome ?? undefined };
  }
  throw new Error('the server has gone; whether it ran the command is not known');
}

function connect(path: string): Promise<Socket | undefined> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => resolve(socket));
    // A later one ends the lines, which is noticed.
    socket.on('error', () => resolve(undefined));
  });
}
