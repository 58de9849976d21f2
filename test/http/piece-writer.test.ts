import { Agent, createServer, get, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { pieceWriter, type WritePiece } from '../../src/http/piece-writer.js';

const PIECES = ['one ', 'zwölf ', '百 ', '🦊 ', 'x'.repeat(70_000), ' end'];

describe('an answer that is written piece by piece', () => {
  it('arrives as it was written, over one connection after the other', async () => {
    const port = await serve((write) => {
      for (const piece of PIECES) write(piece);
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const first = await fetchText(port, agent);
    const second = await fetchText(port, agent);
    expect([first.text, second.text]).toEqual([PIECES.join(''), PIECES.join('')]);
    expect([first.isReused, second.isReused]).toEqual([false, true]);
  });

  it('is not chunked for a client of HTTP/1.0, which ends with its connection', async () => {
    const port = await serve((write) => {
      for (const piece of PIECES) write(piece);
    });
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.0\r\n\r\n');
    let text = '';
    for await (const bytes of socket.setEncoding('utf8')) text += bytes;
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe(PIECES.join(''));
  });

  it('waits for a client that reads slowly, and goes on when it has', async () => {
    const piece = 'y'.repeat(64 * 1024);
    const written = { pieces: 0, waits: 0 };
    let goOn: () => void = () => undefined;
    const port = await serve(
      async (write) => {
        for (; written.pieces < 400; written.pieces++) {
          if (write(piece)) continue;
          written.waits += 1;
          await new Promise<void>((resolve) => {
            goOn = resolve;
          });
        }
      },
      () => goOn(),
    );
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    socket.pause();
    await sleep(300);
    const whileNothingIsRead = written.pieces;
    expect(whileNothingIsRead).toBeLessThan(400);
    let bytes = 0;
    for await (const chunk of socket) bytes += chunk.length;
    expect(written.pieces).toBe(400);
    expect(written.waits).toBeGreaterThan(1);
    expect(bytes).toBeGreaterThan(400 * piece.length);
  });

  it('hands each piece but the first to its socket in one write', async () => {
    const writes: unknown[] = [];
    const port = await serve((write, raw) => {
      write('head');
      if (raw.socket === null) throw new Error('no socket');
      const spy = vi.spyOn(raw.socket, 'write');
      for (const piece of ['one', 'zwölf']) write(piece);
      writes.push(...spy.mock.calls.map(([bytes]) => bytes));
      spy.mockRestore();
    });
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    expect((await fetchText(port, agent)).text).toBe('headonezwölf');
    expect(writes).toEqual(['3\r\none\r\n', '6\r\nzwölf\r\n']);
  });
});

/** A server that writes its answers with `send`; its port. */
async function serve(
  send: (write: WritePiece, raw: ServerResponse) => void | Promise<void>,
  onDrain: () => void = () => undefined,
): Promise<number> {
  const server: Server = createServer((_, raw) => {
    void Promise.resolve(send(pieceWriter(raw, onDrain), raw)).then(() => raw.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function fetchText(port: number, agent: Agent): Promise<{ text: string; isReused: boolean }> {
  return new Promise((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1', agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve({ text, isReused: request.reusedSocket }));
    });
    request.on('error', reject);
  });
}
