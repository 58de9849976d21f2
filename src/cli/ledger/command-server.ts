/** Runs commands of the operator in the process that has the ledger. See `docs/adr/0024-ledger-in-memory.md`. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { Problem } from '../../base/problem.js';
import type { Gateway } from '../../compose/gateway.js';
import { commandFailureOf } from '../output/failure.js';
import type { CommandOutcome } from '../output/outcome.js';
import { type CommandName, LEDGER_COMMANDS, runLedgerCommand } from './command.js';
import {
  type CommandLineOut,
  type CommandRequest,
  MAX_REQUEST_CHARACTERS,
  MAX_SOCKET_PATH_BYTES,
  socketPath,
} from './protocol.js';

export interface CommandLog {
  warn(fields: object, message: string): void;
}

export interface CommandServer {
  /** Ends commands that wait, lets the others finish, and removes the socket. */
  close(): Promise<void>;
}

/**
 * Serves commands on the socket of the data directory, which only this user can open. Where there can be no socket it
 * warns, and commands that change money have to wait for the end of the server. To be called with the instance lock,
 * since a socket that is there already is replaced.
 */
export async function serveCommands(
  gateway: Gateway,
  dataDir: string,
  log: CommandLog,
): Promise<CommandServer> {
  const path = socketPath(dataDir);
  const running = new Map<AbortController, Promise<void>>();
  const server = createServer((socket) => {
    const end = new AbortController();
    running.set(
      end,
      serve(socket, gateway, end).finally(() => running.delete(end)),
    );
  });
  try {
    await listen(server, path);
  } catch (err) {
    log.warn({ err, path }, 'commands that change money need a socket here; without it they are refused');
  }
  return {
    async close() {
      server.close();
      const commands = [...running.values()];
      for (const end of running.keys())
        end.abort(new Problem('shutting_down', 'The server is shutting down'));
      await Promise.all(commands);
    },
  };
}

async function listen(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new Error(`the path is longer than ${MAX_SOCKET_PATH_BYTES} bytes`);
  }
  rmSync(path, { force: true });
  // The socket is made before `listen` returns, with the rights that are left.
  const umask = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(umask);
  }
  await once(server, 'listening');
}

/** Never rejects. */
async function serve(socket: Socket, gateway: Gateway, end: AbortController): Promise<void> {
  const { signal } = end;
  socket.on('error', () => undefined);
  socket.once('close', () => end.abort());
  const say = (line: CommandLineOut): boolean =>
    socket.writable ? socket.write(`${JSON.stringify(line)}\n`) : false;
  const finished = await run(socket, gateway, signal, say).then(
    (outcome) => ({ outcome: outcome ?? null }),
    (error: unknown) => ({ failure: commandFailureOf(signal.aborted ? signal.reason : error) }),
  );
  say(finished);
  socket.end();
}

async function run(
  socket: Socket,
  gateway: Gateway,
  signal: AbortSignal,
  say: (line: CommandLineOut) => boolean,
): Promise<CommandOutcome | undefined> {
  const { name, input, columns }: CommandRequest = JSON.parse(await firstLine(socket, signal));
  if (!isCommand(name)) throw new Error(`the server does not know the command ${name}; is it older?`);
  const tty = columns === null ? {} : { isTTY: true, columns };
  return runLedgerCommand(name, input as never, gateway, {
    terminal: {
      stdout: { write: (text) => say({ stdout: text }) },
      stderr: { write: (text) => say({ stderr: text }), ...tty },
    },
    signal,
    async written() {
      if (socket.writableNeedDrain) await once(socket, 'drain', { signal });
    },
  });
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(LEDGER_COMMANDS, name);
}

/** What comes after it, or beyond the limit, is dropped. */
async function firstLine(socket: Socket, signal: AbortSignal): Promise<string> {
  const pieces: string[] = [];
  let length = 0;
  socket.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    const take = (piece: string) => {
      const end = piece.indexOf('\n');
      length += piece.length;
      pieces.push(end < 0 ? piece : piece.slice(0, end));
      if (end < 0 && length <= MAX_REQUEST_CHARACTERS) return;
      // Reading goes on, so that the end of the connection is noticed.
      socket.off('data', take).resume();
      if (length <= MAX_REQUEST_CHARACTERS) resolve(pieces.join(''));
      else reject(new Error(`the command is longer than ${MAX_REQUEST_CHARACTERS} characters`));
    };
    socket.on('data', take);
  });
}
