import { once } from 'node:events';
import { createServer } from 'node:net';

/** A proxy that lets nothing through. */
export interface Fence {
  readonly url: string;
  /** The first lines of what was sent anywhere but to the gateway. */
  readonly strays: readonly string[];
  close(): void;
}

export async function startFence(): Promise<Fence> {
  const strays: string[] = [];
  const proxy = createServer((socket) =>
    socket.once('data', (bytes) => {
      strays.push(bytes.toString('latin1').split('\r\n', 1)[0] ?? '');
      socket.destroy();
    }),
  );
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return { url, strays, close: () => void proxy.close() };
}
