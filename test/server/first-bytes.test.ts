import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { onFirstBytes } from '../../src/server/port/first-bytes.js';

const TIMEOUT_MS = 50;

/** Sends a request at once, while the process of the server may be busy. */
const CLIENT = `
const { workerData } = require('node:worker_threads');
require('node:net').connect(workerData, '127.0.0.1').write('GET / HTTP/1.1\\r\\n\\r\\n');
`;

it('a client whose first bytes came while the process was busy for longer than their timeout is served', async () => {
  const decided = new Promise<string>((resolve) => {
    const server = createServer((socket: Socket) => {
      socket.once('close', () => resolve('closed'));
      onFirstBytes(socket, TIMEOUT_MS, resolve);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6 * TIMEOUT_MS);
      server.close();
    }).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      client = new Worker(CLIENT, { eval: true, workerData: port });
    });
  });
  let client: Worker | undefined;
  expect(await decided).toBe('http1');
  await client?.terminate();
});

it('a client that sends nothing is closed after the timeout', async () => {
  const server = createServer((socket: Socket) => onFirstBytes(socket, TIMEOUT_MS, () => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new Worker(
    `const { workerData, parentPort } = require('node:worker_threads');
     require('node:net').connect(workerData, '127.0.0.1').on('close', () => parentPort.postMessage('closed')).resume();`,
    { eval: true, workerData: (server.address() as AddressInfo).port },
  );
  expect((await once(client, 'message'))[0]).toBe('closed');
  server.close();
  await client.terminate();
});
