import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Stands between a client and a PostgreSQL server, and can go away. */
export interface TcpProxy {
  /** The URL that leads through here. */
  readonly url: string;
  /** Ends every connection, and refuses new ones. */
  cut(): void;
  /** Lets connections through again. */
  mend(): void;
  /** Connections that were refused since the last cut. */
  readonly refused: number;
  /** Ends the connection that next sends these characters, as soon as the server has answered, and keeps the answer. */
  swallowAnswerTo(text: string): void;
}

/** A proxy before the server of a URL, for one test. */
export async function proxyBefore(url: string): Promise<TcpProxy> {
  const target = new URL(url);
  const folder = target.searchParams.get('host');
  const port = Number(target.port || 5432);
  const sockets = new Set<Socket>();
  const state = { isCut: false, refused: 0, swallow: '' };
  const server = createServer((client) => {
    if (state.isCut) {
      state.refused++;
      client.destroy();
      return;
    }
    const upstream = folder === null ? connect(port, target.hostname) : connect(`${folder}/.s.PGSQL.${port}`);
    let isSwallowing = false;
    client.on('data', (chunk) => {
      if (state.swallow !== '' && chunk.includes(state.swallow)) {
        isSwallowing = true;
        state.swallow = '';
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (isSwallowing) client.destroy();
      else client.write(chunk);
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
    mend() {
      state.isCut = false;
    },
    get refused() {
      return state.refused;
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
