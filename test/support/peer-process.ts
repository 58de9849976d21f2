/** Programs that others have written, as processes of their own beside a test. */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/free-port.mjs';

/** A server to start. */
export interface Peer {
  readonly command: string;
  /** Its arguments, given the port of 127.0.0.1 that it is to listen on. */
  readonly args: (port: number) => readonly string[];
  /** A path that answers 200 once it serves. */
  readonly readyPath: string;
  /** How long it may take to start. */
  readonly startMs: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Ends it; SIGKILL by default. */
  readonly endSignal?: NodeJS.Signals;
}

/** Starts a server that is ended when `atEnd` says so; the root of its URLs. */
export async function startPeer(peer: Peer, atEnd: (end: () => void) => void): Promise<string> {
  const port = await freePort();
  const child = spawn(peer.command, peer.args(port), {
    cwd: peer.cwd,
    env: { ...process.env, ...peer.env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  atEnd(() => void child.kill(peer.endSignal ?? 'SIGKILL'));
  const root = `http://127.0.0.1:${port}`;
  for (const deadline = Date.now() + peer.startMs; Date.now() < deadline; await sleep(50)) {
    const answer = await fetch(`${root}${peer.readyPath}`).catch(() => undefined);
    if (answer?.ok === true) return root;
  }
  throw new Error(`${peer.command} did not start`);
}
