/** A request of a shape, as it is sent. */
import http from 'node:http';
import http2 from 'node:http2';

/** Who calls. */
export type Caller = 'nobody' | 'api key' | 'management key';

/** A request whose bytes are made. */
export interface RawRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  readonly path: string;
  readonly caller: Caller;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** How long to wait for an answer. */
const PATIENCE_MS = 60_000;

/** Sends it on a connection of its own; resolves with the HTTP status or the gRPC status, or why there is none. */
export function send(origin: string, request: RawRequest, authorization: string | null): Promise<string> {
  const headers = { ...request.headers, ...(authorization !== null && { authorization }) };
  const isGrpc = request.headers['content-type']?.startsWith('application/grpc') === true;
  return (isGrpc ? overHttp2 : overHttp1)(origin, { ...request, headers }).catch((error: unknown) =>
    error instanceof Error ? error.message : String(error),
  );
}

function overHttp1(origin: string, { method, path, headers, body }: RawRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.request(origin + path, {
      method,
      agent: false,
      timeout: PATIENCE_MS,
      headers: { ...headers, ...(method !== 'GET' && { 'content-length': String(body.length) }) },
    });
    request.once('timeout', () => request.destroy(new Error('no answer')));
    // After an early answer the rest may not be sent.
    request.on('error', reject);
    request.once('response', (answer) => {
      answer
        .once('end', () => resolve(String(answer.statusCode)))
        .once('error', reject)
        .resume();
    });
    request.end(body);
  });
}

async function overHttp2(origin: string, { path, headers, body }: RawRequest): Promise<string> {
  const session = http2.connect(origin);
  session.setTimeout(PATIENCE_MS, () => session.destroy(new Error('no answer')));
  try {
    return await new Promise<string>((resolve, reject) => {
      session.once('error', reject);
      const stream = session.request({ ':method': 'POST', ':path': path, te: 'trailers', ...headers });
      const tell = (sent: http2.IncomingHttpHeaders) => {
        if (sent['grpc-status'] !== undefined) resolve(`grpc ${String(sent['grpc-status'])}`);
      };
      stream.on('response', tell).on('trailers', tell).once('error', reject);
      stream
        .once('close', () => reject(new Error('no status')))
        .resume()
        .end(body);
    });
  } finally {
    session.destroy();
  }
}
