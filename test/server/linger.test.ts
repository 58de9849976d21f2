import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { connectRaw, start, until } from './support.js';

it('a limited number of connections linger for what their clients still send, and each gets its answer', async () => {
  const server = await start();
  onTestFinished(async () => {
    server.app.server.closeAllConnections();
    await server.app.close();
  });
  const head = 'POST /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n';
  const clients = Array.from({ length: 300 }, () => connectRaw(server.port, true));
  for (const { socket } of clients) socket.write(head);
  await until(() => clients.every(({ received }) => received.includes('HTTP/1.1 404')));
  const counted = await server.connections();
  expect(counted).toBeLessThanOrEqual(256);
  expect(counted).toBeGreaterThan(200);
  for (const { socket } of clients) socket.destroy();
  await Promise.all(clients.map(({ closed }) => closed));
});

it('hundreds of requests on one connection that are refused before their bodies have arrived linger one at a time', async () => {
  const server = await start();
  onTestFinished(async () => {
    server.app.server.closeAllConnections();
    await server.app.close();
  });
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const client = connectRaw(server.port, true);
  client.socket.setNoDelay();
  const count = 300;
  for (let sent = 1; sent <= count; sent++) {
    client.socket.write('POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n');
    while (client.received.split('HTTP/1.1 404').length <= sent) await once(client.socket, 'data');
    client.socket.write('body');
  }
  expect(warnings.map(({ message }) => message)).toEqual([]);
  client.socket.destroy();
  await client.closed;
});
