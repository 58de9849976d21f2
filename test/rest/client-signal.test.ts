import { type AddressInfo, connect, type Socket } from 'node:net';
import { fastify } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clientSignal } from '../../src/http/client-signal.js';

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

describe('the signal of a call over HTTP/1.1', () => {
  it('fires for the call that is in flight, after others on its connection were answered', async () => {
    const { socket, signals } = await connection();
    socket.write(GET('/answered'));
    await answered(socket);
    socket.write(GET('/silent'));
    await expect.poll(() => signals.length).toBe(2);
    expect(signals[1]?.aborted).toBe(false);
    socket.destroy();
    await expect.poll(() => signals[1]?.aborted).toBe(true);
  });

  it('does not fire where all calls of the connection were answered', async () => {
    const { socket, signals, closed } = await connection();
    for (let call = 0; call < 3; call++) {
      socket.write(GET('/answered'));
      await answered(socket);
    }
    socket.destroy();
    await closed;
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false]);
  });

  it('fires for each of several pipelined calls', async () => {
    const { socket, signals } = await connection();
    socket.write(GET('/silent') + GET('/answered') + GET('/silent'));
    await expect.poll(() => signals.length).toBe(3);
    socket.destroy();
    await expect.poll(() => [signals[0]?.aborted, signals[2]?.aborted]).toEqual([true, true]);
  });
});

/** A connection to a server, and the signals of the calls that have come over it. */
async function connection() {
  const signals: AbortSignal[] = [];
  const server = fastify();
  server.get('/answered', async (_, reply) => {
    signals.push(clientSignal(reply));
    return 'said';
  });
  server.get('/silent', (_, reply) => {
    signals.push(clientSignal(reply));
  });
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  server.server.on('connection', (socket) => socket.once('close', close));
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  onTestFinished(async () => {
    socket.destroy();
    await server.close();
  });
  return { socket, signals, closed };
}

function answered(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('data', resolve));
}
