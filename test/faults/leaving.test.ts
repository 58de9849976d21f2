/**
 * Every way in which a client leaves, over every transport, before a provider that never answers: the attempt ends at once, and
 * the record says that the client has left.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { selfSigned } from '../server/support.js';
import { ANY_GENERATION } from '../support/generations.js';
import { expectSettled } from '../support/money.js';
import { startProviders } from '../support/providers.js';
import { enveloped } from '../support/raw-rpc.js';

/** The promise to whoever pays the provider. */
const MAX_ABORT_MS = 1_000;

const CHAT = { model: 'test/m', messages: [{ role: 'user', content: 'Hello there' }] };

const RPC_CHAT = { chat: { ...CHAT, messages: [{ role: 'user', content: { text: 'Hello there' } }] } };

/** A request as bytes, whichever HTTP version carries it. */
interface Call {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const REST = '/api/v1/chat/completions';
const WHOLE = '/byway.v1.ChatService/CreateChatCompletion';
const STREAM = '/byway.v1.ChatService/StreamChatCompletion';
const json = (value: object) => Buffer.from(JSON.stringify(value));

/** By transport and mode; `deadline` where the protocol has one. */
const CALLS: Readonly<Record<string, (isStreamed: boolean, deadline: boolean) => Call>> = {
  REST: (stream) => ({
    path: REST,
    headers: { 'content-type': 'application/json' },
    body: json({ ...CHAT, stream }),
  }),
  Messages: (stream) => ({
    path: '/api/v1/messages',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: json({ ...CHAT, stream, max_tokens: 10 }),
  }),
  Connect: (isStreamed, deadline) => ({
    path: isStreamed ? STREAM : WHOLE,
    headers: {
      'content-type': isStreamed ? 'application/connect+json' : 'application/json',
      'connect-protocol-version': '1',
      ...(deadline && { 'connect-timeout-ms': String(DEADLINE_MS) }),
    },
    body: isStreamed ? enveloped(json(RPC_CHAT)) : json(RPC_CHAT),
  }),
  gRPC: (isStreamed, deadline) => grpc('application/grpc+json', isStreamed, deadline),
  'gRPC-Web': (isStreamed, deadline) => grpc('application/grpc-web+json', isStreamed, deadline),
};

function grpc(contentType: string, isStreamed: boolean, deadline: boolean): Call {
  return {
    path: isStreamed ? STREAM : WHOLE,
    headers: {
      'content-type': contentType,
      te: 'trailers',
      ...(deadline && { 'grpc-timeout': `${DEADLINE_MS}m` }),
    },
    body: enveloped(json(RPC_CHAT)),
  };
}

/** Long enough for the request to reach the provider first. */
const DEADLINE_MS = 400;

/** A request in flight. */
interface Sent {
  /** Ends the request alone. */
  cancel(): void;
  /** Ends the connection without a word. */
  lose(): void;
  /** Says that no more will come, and closes; HTTP/2 only. */
  goAway?(): void;
}

/** The options of Node's clients, which know no certificate of ours. */
const UNVERIFIED = { rejectUnauthorized: false };

function overHttp1(origin: URL, { path, headers, body }: Call, key: string): Sent {
  const { request } = origin.protocol === 'https:' ? https : http;
  const sent = request(new URL(path, origin), {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${key}`, 'content-length': body.length },
    agent: false,
    ...UNVERIFIED,
  });
  sent.on('error', () => undefined);
  sent.on('response', (response) => response.on('error', () => undefined).resume());
  sent.end(body);
  return { cancel: () => sent.destroy(), lose: () => sent.socket?.destroy() };
}

function overHttp2(origin: URL, { path, headers, body }: Call, key: string): Sent {
  const session = http2.connect(origin, UNVERIFIED);
  session.on('error', () => undefined);
  const stream = session.request({
    ...headers,
    ':method': 'POST',
    ':path': path,
    authorization: `Bearer ${key}`,
  });
  stream.on('error', () => undefined).resume();
  stream.end(body);
  return {
    cancel: () => stream.close(http2.constants.NGHTTP2_CANCEL),
    lose: () => session.destroy(),
    goAway: () => session.destroy(undefined, http2.constants.NGHTTP2_ENHANCE_YOUR_CALM),
  };
}

const VERSIONS = { 'HTTP/1.1': overHttp1, 'HTTP/2': overHttp2 };

const WAYS = ['cancel', 'lose', 'goAway', 'deadline'] as const;
type Way = (typeof WAYS)[number];

function isPossible(transport: string, version: string, way: Way): boolean {
  if (version === 'HTTP/1.1' && (transport === 'gRPC' || way === 'goAway')) return false;
  return way !== 'deadline' || (transport !== 'REST' && transport !== 'Messages');
}

/** What the provider does, by whether the answer is streamed. */
const SILENCES = [
  { isStreamed: false, plan: { delayMs: 60_000 } },
  { isStreamed: true, plan: { delayMs: 60_000 } },
  { isStreamed: true, plan: { stallAfter: 1 } },
];

const WAIT = { timeout: 5_000, interval: 5 };

/** Where the gateway has a certificate, and where not. */
function settingsOf(scheme: string): Record<string, string> {
  if (scheme === 'http') return {};
  const folder = mkdtempSync(join(tmpdir(), 'byway-leaving-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { cert, key } = selfSigned();
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  return { BYWAY_TLS_CERT: join(folder, 'cert.pem'), BYWAY_TLS_KEY: join(folder, 'key.pem') };
}

const CASES = ['http', 'https'].flatMap((scheme) =>
  Object.keys(CALLS).flatMap((transport) =>
    Object.keys(VERSIONS).flatMap((version) =>
      WAYS.filter((way) => isPossible(transport, version, way)).map(
        (way) => [scheme, transport, version, way] as const,
      ),
    ),
  ),
);

it.each(CASES)(
  'a client that leaves over %s, %s, %s by %s ends the attempt at once, and the record says so',
  async (scheme, transport, version, way) => {
    const gateway = await startProviders('shared capacity', { env: settingsOf(scheme) });
    const send = VERSIONS[version as keyof typeof VERSIONS];
    const { alpha } = gateway;
    const origin = new URL(`${scheme}://localhost:${new URL(gateway.url).port}`);
    for (const [index, { isStreamed, plan }] of SILENCES.entries()) {
      alpha.plan('m', plan);
      const call = CALLS[transport]?.(isStreamed, way === 'deadline');
      if (call === undefined) throw new TypeError(transport);
      const sent = send(origin, call, gateway.apiKey);
      await vi.waitFor(() => expect(alpha.requests).toHaveLength(index + 1), WAIT);
      if (way !== 'deadline') sent[way]?.();
      const timeout = MAX_ABORT_MS + (way === 'deadline' ? DEADLINE_MS : 0);
      await vi.waitFor(() => expect([plan, alpha.aborts]).toEqual([plan, index + 1]), {
        timeout,
        interval: 5,
      });
      await vi.waitFor(async () => {
        const { generations } = await gateway.gateway.stores.generations.list(
          gateway.accountId,
          ANY_GENERATION,
          FIRST_PAGE,
        );
        expect(generations.map(({ status }) => status)).toEqual(Array(index + 1).fill('cancelled'));
      }, WAIT);
      sent.lose();
    }
    await expectSettled(gateway);
  },
);

const FIRST_PAGE = { offset: 0, limit: 10, after: null };
