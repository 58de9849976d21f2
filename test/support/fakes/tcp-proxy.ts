import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Stands between a client and a PostgreSQL server, and can go away. */
export interface TcpProxy {
  /** The URL that leads through here. */
  readonly url: string;
  /** Ends every connection, and refuses new ones. */
  cut(): void;
  /** Keeps all answers back from connections that have never run a transaction. */
  pauseReads(): void;
  /** Lets connections, and what was kept back, through again. */
  mend(): void;
  /** Connections that were refused since the last cut. */
  readonly refused: number;
  /** Ends the connection that next sends these characters, as soon as the server has answered, and keeps the answer. */
  swallowAnswerTo(text: string): void;
  /** How often connections that run transactions have sent something after an answer, and so had to wait for it. */
  readonly roundTrips: number;
}

/** How long every answer is held back: whatever is sent without waiting for it is sent before it comes. */
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
