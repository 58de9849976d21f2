/** RPCs with arbitrary bytes, over every protocol; responses are read with the library's own readers. */
import http2 from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { endStreamFlag, endStreamFromJson, errorFromJson } from '@connectrpc/connect/protocol-connect';
import { findTrailerError } from '@connectrpc/connect/protocol-grpc';
import { trailerParse } from '@connectrpc/connect/protocol-grpc-web';
import { type ErrorDetail, ErrorDetailSchema } from '../../gen/byway/v1/error_pb.js';

export interface RawAnswer {
  readonly headers: Headers;
  /** The first message's bytes as they were sent, without envelope. */
  readonly message: Buffer | null;
  /** The envelope's compression flag; always false for Connect's unary protocol. */
  readonly isCompressed: boolean;
  readonly error: ConnectError | null;
  readonly detail: ErrorDetail | null;
}

export interface RawCall {
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes the call: gRPC over HTTP/2, all others over HTTP/1.1 without content-length. */
export async function callRaw(call: RawCall): Promise<RawAnswer> {
  const { contentType } = call;
  if (contentType.startsWith('application/grpc-web')) return readGrpcWeb(await overHttp1(call));
  if (contentType.startsWith('application/grpc')) return readGrpc(await overHttp2(call));
  if (contentType.startsWith('application/connect+')) return readConnectStream(await overHttp1(call));
  return readConnect(await overHttp1(call));
}

/** The content in an envelope, with its flags. */
export function enveloped(content: Uint8Array, flags = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flags, 0);
  prefix.writeUInt32BE(content.length, 1);
  return Buffer.concat([prefix, content]);
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly trailers: Headers;
  readonly body: Buffer;
}

async function overHttp1({ url, contentType, body, headers }: RawCall): Promise<Received> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': contentType },
    body: new ReadableStream({
      start(controller) {
        controller.enqueue(body);
        controller.close();
      },
    }),
    duplex: 'half',
  } as RequestInit);
  const received = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, trailers: new Headers(), body: received };
}

function overHttp2({ url, contentType, body, headers }: RawCall): Promise<Received> {
  const { origin, pathname } = new URL(url);
  const session = http2.connect(origin);
  return new Promise<Received>((resolve, reject) => {
    const pieces: Buffer[] = [];
    let [head, trailers] = [new Headers(), new Headers()];
    session.once('error', reject);
    const stream = session.request({
      ...headers,
      ':method': 'POST',
      ':path': pathname,
      'content-type': contentType,
      te: 'trailers',
    });
    stream.on('response', (sent) => {
      head = headersOf(sent);
    });
    stream.on('trailers', (sent) => {
      trailers = headersOf(sent);
    });
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('end', () => resolve({ status: 200, headers: head, trailers, body: Buffer.concat(pieces) }));
    stream.once('error', reject);
    stream.end(body);
  }).finally(() => session.destroy());
}

function headersOf(sent: http2.IncomingHttpHeaders): Headers {
  const entries = Object.entries(sent).filter(([name]) => !name.startsWith(':'));
  return new Headers(entries.map(([name, value]) => [name, String(value)]));
}

function readConnect({ status, headers, body }: Received): RawAnswer {
  if (status === 200) return succeeded(headers, body, false);
  const fallback = new ConnectError(`status ${status}`, Code.Unknown);
  return failed(headers, errorFromJson(JSON.parse(body.toString('utf8')), headers, fallback));
}

function readConnectStream({ headers, body }: Received): RawAnswer {
  const envelopes = envelopesIn(body);
  const [first] = envelopes;
  const end = envelopes.find(({ flags }) => flags === endStreamFlag);
  const { error } = endStreamFromJson(end?.content ?? Buffer.alloc(0));
  return error === undefined ? succeeded(headers, first?.content ?? null, false) : failed(headers, error);
}

function readGrpc({ headers, trailers, body }: Received): RawAnswer {
  const error = findTrailerError(headers.has('grpc-status') ? headers : trailers);
  if (error !== undefined) return failed(headers, error);
  if (trailers.get('grpc-status') !== '0') throw new Error('a gRPC answer without a status');
  const [first] = envelopesIn(body);
  return succeeded(headers, first?.content ?? null, first?.flags === 1);
}

function readGrpcWeb({ headers, body }: Received): RawAnswer {
  const envelopes = envelopesIn(body);
  const trailers = envelopes.find(({ flags }) => flags === 0x80);
  const error = findTrailerError(trailers === undefined ? headers : trailerParse(trailers.content));
  if (error !== undefined) return failed(headers, error);
  return succeeded(headers, envelopes[0]?.content ?? null, envelopes[0]?.flags === 1);
}

function envelopesIn(body: Buffer): { flags: number; content: Buffer }[] {
  const envelopes: { flags: number; content: Buffer }[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    envelopes.push({ flags: body.readUInt8(at), content: body.subarray(at + 5, end) });
    at = end;
  }
  return envelopes;
}

function succeeded(headers: Headers, message: Buffer | null, isCompressed: boolean): RawAnswer {
  return { headers, message, isCompressed, error: null, detail: null };
}

function failed(headers: Headers, error: ConnectError): RawAnswer {
  const [detail = null] = error.findDetails(ErrorDetailSchema);
  return { headers, message: null, isCompressed: false, error, detail };
}
