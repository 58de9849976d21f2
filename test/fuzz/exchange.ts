/** Sends calls over persistent connections, and returns how they ended. */
import http from 'node:http';
import http2 from 'node:http2';
import { Code } from '@connectrpc/connect';
import { codeFromString } from '@connectrpc/connect/protocol-connect';
import type { Call } from './calls.js';

/** How a call ended. */
export interface Ending {
  readonly status: number;
  /** The status of a failed RPC. */
  readonly code: Code | undefined;
  /** From REST's envelope or the ErrorDetail, where either was sent. */
  readonly reason: string | undefined;
  readonly text: string;
}

/** A client of one server. */
export interface Exchange {
  send(call: Call): Promise<Ending>;
  close(): void;
}

/** Maximum time of an answer. */
const TIMEOUT_MS = 60_000;

/** Keeps one connection of each HTTP version open, and reconnects when it was closed. */
export function openExchange(port: number): Exchange {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let session: http2.ClientHttp2Session | undefined;
  const connected = () => {
    if (session === undefined || session.closed || session.destroyed) {
      session = http2.connect(`http://127.0.0.1:${port}`).on('error', () => {});
    }
    return session;
  };
  return {
    async send(call) {
      const raw = await (call.transport === 'grpc'
        ? overHttp2(connected(), call)
        : overHttp1(agent, port, call));
      return endingOf(call, raw);
    },
    close() {
      agent.destroy();
      session?.destroy();
    },
  };
}

interface Raw {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

function overHttp1(agent: http.Agent, port: number, { method, path, headers, body }: Call): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const request = http.request({
      agent,
      port,
      method,
      host: '127.0.0.1',
      path: encodeURI(path).replaceAll('%25', '%'),
      headers: { ...headers, 'content-length': body?.length ?? 0 },
      timeout: TIMEOUT_MS,
    });
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    request.on('error', reject);
    request.on('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: headersOf({ ...response.headers, ...response.trailers }),
          body: Buffer.concat(pieces),
        }),
      );
    });
    request.end(body);
  });
}

function overHttp2(session: http2.ClientHttp2Session, { method, path, headers, body }: Call): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ...headers,
      ':method': method,
      ':path': encodeURI(path).replaceAll('%25', '%'),
      te: 'trailers',
    });
    let received = {};
    const pieces: Buffer[] = [];
    stream.setTimeout(TIMEOUT_MS, () => stream.destroy(new Error('no answer in time')));
    stream.on('response', (sent) => {
      received = { ...received, ...sent };
    });
    stream.on('trailers', (sent) => {
      received = { ...received, ...sent };
    });
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('error', reject);
    stream.on('end', () => {
      const all = received as http2.IncomingHttpHeaders;
      resolve({
        status: Number(all[':status'] ?? 0),
        headers: headersOf(all),
        body: Buffer.concat(pieces),
      });
    });
    stream.end(body);
  });
}

function headersOf(sent: http.IncomingHttpHeaders | http2.IncomingHttpHeaders): Headers {
  const entries = Object.entries(sent).filter(([name]) => !name.startsWith(':'));
  return new Headers(entries.map(([name, value]) => [name, String(value)]));
}

function endingOf({ transport }: Call, { status, headers, body }: Raw): Ending {
  const text = body.toString('utf8');
  const grpc = headers.get('grpc-status') ?? /^grpc-status: (\d+)/m.exec(text)?.[1];
  if (grpc !== null && grpc !== undefined) {
    const detail = Buffer.from(headers.get('grpc-status-details-bin') ?? '', 'base64').toString('latin1');
    return {
      status,
      code: grpc === '0' ? undefined : Number(grpc),
      reason: REASON.exec(detail)?.[0],
      text: headers.get('grpc-message') ?? '',
    };
  }
  const json = jsonIn(text);
  const error = json?.error as { code?: unknown; metadata?: { reason?: string } } | undefined;
  const content = transport === 'rest' ? undefined : (error?.code ?? json?.code);
  const code = typeof content === 'string' ? codeFromString(content) : undefined;
  const details = JSON.stringify([json?.details, (error as { details?: unknown } | undefined)?.details]);
  const decoded = /"value":"([^"]+)"/.exec(details)?.[1] ?? '';
  const reason =
    error?.metadata?.reason ?? REASON.exec(Buffer.from(decoded, 'base64').toString('latin1'))?.[0];
  return { status, code, reason, text: text.slice(0, 2000) };
}

/** The reason is the first field of an ErrorDetail. */
const REASON = /[a-z]+(?:_[a-z]+)+|internal/;

/** The JSON of an answer, or of the last envelope of a stream. */
function jsonIn(text: string): Record<string, unknown> | undefined {
  for (const start of [0, text.lastIndexOf('{"error"'), text.indexOf('{')]) {
    if (start < 0) continue;
    try {
      const json: unknown = JSON.parse(text.slice(start));
      if (typeof json === 'object' && json !== null) return json as Record<string, unknown>;
    } catch {
      // Not from here on.
    }
  }
  return undefined;
}

/** Whether the server reports an error of its own. */
export function isServerError({ status, code }: Ending): boolean {
  return code === undefined ? status >= 500 : SERVER_CODES.has(code);
}

const SERVER_CODES = new Set([
  Code.Unknown,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
  Code.DeadlineExceeded,
]);
