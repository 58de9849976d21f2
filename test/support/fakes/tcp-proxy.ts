import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy between a client and a PostgreSQL server, which can fail. */
export interface TcpProxy {
  /** The server's URL through the proxy. */
  readonly url: string;
  /** Closes all connections, and refuses new ones. */
  cut(): void;
  /** Delays all responses on connections that have never run a transaction. */
  pauseReads(): void;
  /** Accepts connections again, and sends delayed responses. */
  mend(): void;
  /** Connections that were refused since the last cut. */
  readonly refused: number;
  /** Closes the connection that next sends these characters after the server's response, which is dropped. */
  swallowAnswerTo(text: string): void;
  /** How often connections that run transactions have sent something after a response, for which they had to wait. */
  readonly roundTrips: number;
}

/** Delay of every response: whatever is sent without waiting for it is sent before it comes. */
interface ProxyOptions {
  readonly answerDelayMs?: number;
}

/** A proxy before the server of a URL, for one test. */
export async function proxyBefore(url: string, { answerDelayMs = 0 }: ProxyOptions = {}): Promise<TcpProxy> {
  const target = new URL(url);
  const folder = target.searchParams.get('host');
  const port = Number(target.port || 5432);
  const sockets = new Set<Socket>();
  const state = { isCut: false, refused: 0, swallow: '', roundTrips: 0, pausesReads: false };
  let held: (() => void)[] = [];
  const server = createServer((client) => {
    if (state.isCut) {
      state.refused++;
      client.destroy();
      return;
    }
    const upstream = folder === null ? connect(port, target.hostname) : connect(`${folder}/.s.PGSQL.${port}`);
    let isSwallowing = false;
    const seen = { transaction: false, answer: true };
    client.on('data', (chunk) => {
      if (state.swallow !== '' && chunk.includes(state.swallow)) {
        isSwallowing = true;
        state.swallow = '';
      }
      seen.transaction ||= chunk.includes('begin ');
      if (seen.transaction && seen.answer) state.roundTrips++;
      seen.answer = false;
      upstream.write(chunk);
    });
    const answer = (chunk: Buffer) => {
      seen.answer = true;
      if (state.pausesReads && !seen.transaction) held.push(() => client.write(chunk));
      else if (isSwallowing) client.destroy();
      else client.write(chunk);
    };
    upstream.on('data', (chunk) => {
      if (answerDelayMs === 0) answer(chunk);
      else setTimeout(() => answer(chunk), answerDelayMs);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = () => sockets.forEach((socket) => void socket.destroy());
  onTestFinished(() => {
    end();
    server.close();
  });
  return {
    url: urlThrough(target, server.address()),
    cut() {
      Object.assign(state, { isCut: true, refused: 0 });
      end();
    },
    pauseReads() {
      state.pausesReads = true;
    },
    mend() {
      Object.assign(state, { isCut: false, pausesReads: false });
      for (const release of held) release();
      held = [];
    },
    get refused() {
      return state.refused;
    },
    get roundTrips() {
      return state.roundTrips;
    },
    swallowAnswerTo(text) {
      state.swallow = text;
    },
  };
}

function urlThrough(target: URL, address: ReturnType<ReturnType<typeof createServer>['address']>): string {
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const through = new URL(target);
  through.searchParams.delete('host');
  through.host = `127.0.0.1:${address.port}`;
  return through.href;
}
