import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * The beginning of PostgreSQL's protocol (https://www.postgresql.org/docs/17/protocol-flow.html), for what no server that
 * is installed says: it admits everybody, and answers each query with one row, or with an error.
 */
export async function startPostgresWire(
  answer:
    | { readonly row: Readonly<Record<string, string>> }
    | { readonly error: Readonly<Record<string, string>> },
): Promise<number> {
  const server = createServer((socket) => serve(socket, answer)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const SSL_REQUEST = 80_877_103;

function serve(socket: Socket, answer: Parameters<typeof startPostgresWire>[0]): void {
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.on('data', (chunk) => {
    if (chunk.length >= 8 && chunk.readInt32BE(4) === SSL_REQUEST) socket.write('N');
    else if (chunk[0] === 0) socket.write(Buffer.concat([message('R', int32(0)), READY]));
    else if (chunk[0] === 'Q'.charCodeAt(0)) {
      socket.write(Buffer.concat(['row' in answer ? rowOf(answer.row) : errorOf(answer.error), READY]));
    }
  });
}

function rowOf(row: Readonly<Record<string, string>>): Buffer {
  const names = Object.keys(row);
  const described = names.map((name) =>
    Buffer.concat([text(name), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)]),
  );
  const values = Object.values(row).map((value) => Buffer.concat([int32(value.length), Buffer.from(value)]));
  return Buffer.concat([
    message('T', Buffer.concat([int16(names.length), ...described])),
    message('D', Buffer.concat([int16(names.length), ...values])),
    message('C', text('SELECT 1')),
  ]);
}

/** Its fields by their letters (https://www.postgresql.org/docs/17/protocol-error-fields.html). */
function errorOf(fields: Readonly<Record<string, string>>): Buffer {
  const all = Object.entries(fields).map(([letter, value]) =>
    Buffer.concat([Buffer.from(letter), text(value)]),
  );
  return message('E', Buffer.concat([...all, Buffer.from([0])]));
}

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

const READY = message('Z', Buffer.from('I'));
