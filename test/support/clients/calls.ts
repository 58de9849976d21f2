/** The same chat over every API, protocol and HTTP version, by clients that can leave in every way. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { selfSigned } from '../../server/support.js';
import { enveloped } from '../raw-rpc.js';

const CHAT = { model: 'test/m', messages: [{ role: 'user', content: 'Hello there' }] };

const RPC_CHAT = { chat: { ...CHAT, messages: [{ role: 'user', content: { text: 'Hello there' } }] } };

/** A request as bytes, whichever HTTP version carries it. */
export interface Call {
  /** POST when left out. */
  readonly method?: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const REST = '/api/v1/chat/completions';
const WHOLE = '/byway.v1.ChatService/CreateChatCompletion';
const STREAM = '/byway.v1.ChatService/StreamChatCompletion';
const json = (value: object) => Buffer.from(JSON.stringify(value));

/** By transport; `deadlineMs` where the protocol has one. */
export const CALLS = {
  REST: (stream: boolean): Call => ({
    path: REST,
    headers: { 'content-type': 'application/json' },
    body: json({ ...CHAT, stream }),
  }),
  Messages: (stream: boolean): Call => ({
    path: '/api/v1/messages',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: json({ ...CHAT, stream, max_tokens: 1_000 }),
  }),
  Responses: (stream: boolean): Call => ({
    path: '/api/v1/responses',
    headers: { 'content-type': 'application/json' },
    body: json({ model: CHAT.model, input: 'Hello there', stream }),
  }),
  Connect: (isStreamed: boolean, deadlineMs?: number): Call => ({
    path: isStreamed ? STREAM : WHOLE,
    headers: {
      'content-type': isStreamed ? 'application/connect+json' : 'application/json',
      'connect-protocol-version': '1',
      ...(deadlineMs !== undefined && { 'connect-timeout-ms': String(deadlineMs) }),
    },
    body: isStreamed ? enveloped(json(RPC_CHAT)) : json(RPC_CHAT),
  }),
  gRPC: (isStreamed: boolean, deadlineMs?: number) => grpc('application/grpc+json', isStreamed, deadlineMs),
  'gRPC-Web': (isStreamed: boolean, deadlineMs?: number) =>
    grpc('application/grpc-web+json', isStreamed, deadlineMs),
};

export type Transport = keyof typeof CALLS;

export const TRANSPORTS = Object.keys(CALLS) as Transport[];

function grpc(contentType: string, isStreamed: boolean, deadlineMs?: number): Call {
  return {
    path: isStreamed ? STREAM : WHOLE,
    headers: {
      'content-type': contentType,
      te: 'trailers',
      ...(deadlineMs !== undefined && { 'grpc-timeout': `${deadlineMs}m` }),
    },
    body: enveloped(json(RPC_CHAT)),
  };
}

/** What came of an answer. */
export interface Came {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly trailers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Whether it came to its end by its HTTP version. */
  readonly isWhole: boolean;
}

/** A request in flight. */
export interface Sent {
  /** Settles when the answer has begun. */
  readonly begun: Promise<void>;
  /** Settles when the answer has ended, in whatever way; `status` 0 where none has begun. */
  readonly came: Promise<Came>;
  /** Ends the request alone. */
  cancel(): void;
  /** Ends the connection without a word. */
  lose(): void;
  /** Says that no more will come, and closes; HTTP/2 only. */
  goAway?(): void;
}

/** The options of Node's clients, which know no certificate of ours. */
const UNVERIFIED = { rejectUnauthorized: false };

function overHttp1(origin: URL, { method = 'POST', path, headers, body }: Call, key: string): Sent {
  const { request } = origin.protocol === 'https:' ? https : http;
  const sent = request(new URL(path, origin), {
    method,
    headers: { ...headers, authorization: `Bearer ${key}`, 'content-length': body.length },
    agent: false,
    ...UNVERIFIED,
  });
  const begun = new Promise<void>((resolve) => sent.once('response', () => resolve()));
  const came = new Promise<Came>((resolve) => {
    let text = '';
    let response: http.IncomingMessage | undefined;
    const end = () =>
      resolve({
        status: response?.statusCode ?? 0,
        headers: response?.headers ?? {},
        trailers: response?.trailers ?? {},
        text,
        isWhole: response?.complete === true,
      });
    sent.on('error', end);
    sent.on('response', (incoming) => {
      response = incoming.on('error', () => undefined).on('close', end);
      incoming.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
    });
  });
  sent.end(body);
  return { begun, came, cancel: () => sent.destroy(), lose: () => sent.socket?.destroy() };
}

function overHttp2(origin: URL, { method = 'POST', path, headers, body }: Call, key: string): Sent {
  const session = http2.connect(origin, UNVERIFIED);
  session.on('error', () => undefined);
  const stream = session.request({
    ...headers,
    ':method': method,
    ':path': path,
    authorization: `Bearer ${key}`,
  });
  const begun = new Promise<void>((resolve) => stream.once('response', () => resolve()));
  const came = new Promise<Came>((resolve) => {
    let head: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {};
    let trailers: http2.IncomingHttpHeaders = {};
    let text = '';
    stream.on('response', (answer) => {
      head = answer;
    });
    stream.on('trailers', (last) => {
      trailers = last;
    });
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    stream.on('error', () => undefined);
    stream.on('close', () => {
      const isWhole = stream.rstCode === http2.constants.NGHTTP2_NO_ERROR && stream.readableEnded;
      resolve({ status: head[':status'] ?? 0, headers: head, trailers, text, isWhole });
      session.close();
    });
  });
  // One with a method that has no body has ended, and would fail.
  if (!stream.writableEnded) stream.end(body);
  return {
    begun,
    came,
    cancel: () => stream.close(http2.constants.NGHTTP2_CANCEL),
    lose: () => session.destroy(),
    goAway: () => session.destroy(undefined, http2.constants.NGHTTP2_ENHANCE_YOUR_CALM),
  };
}

export const VERSIONS = { 'HTTP/1.1': overHttp1, 'HTTP/2': overHttp2 };

export type Version = keyof typeof VERSIONS;

export const SCHEMES = ['http', 'https'] as const;

export type Scheme = (typeof SCHEMES)[number];

/** Where the gateway has a certificate, and where not. */
export function settingsOf(scheme: Scheme): Record<string, string> {
  if (scheme === 'http') return {};
  const folder = mkdtempSync(join(tmpdir(), 'byway-calls-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { cert, key } = selfSigned();
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  return { BYWAY_TLS_CERT: join(folder, 'cert.pem'), BYWAY_TLS_KEY: join(folder, 'key.pem') };
}

export function originOf(scheme: Scheme, url: string): URL {
  return new URL(`${scheme}://localhost:${new URL(url).port}`);
}
