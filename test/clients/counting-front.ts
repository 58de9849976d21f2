/** What stands before a gateway and counts what comes. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CountingFront {
  /** Root of the gateway's REST operations behind it. */
  readonly rest: string;
  /** The requests for answers so far. */
  readonly asked: readonly string[];
  /** Handshakes of WebSockets so far. */
  readonly upgrades: readonly string[];
  forget(): void;
  close(): void;
}

export async function startCountingFront(rest: string): Promise<CountingFront> {
  const { hostname, port } = new URL(rest);
  const asked: string[] = [];
  const upgrades: string[] = [];
  const server = createServer((incoming: IncomingMessage, outgoing) => {
    const { method, url: path, headers } = incoming;
    if (method === 'POST') asked.push(String(path));
    if (headers.upgrade !== undefined) upgrades.push(String(path));
    const behind = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    behind.once('error', () => outgoing.destroy());
    outgoing.once('close', () => behind.destroy());
    incoming.pipe(behind);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  return {
    rest: `http://127.0.0.1:${own}/api/v1`,
    ...{ asked, upgrades },
    forget() {
      asked.splice(0);
      upgrades.splice(0);
    },
    close: () => void server.close(),
  };
}
