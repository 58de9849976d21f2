/** Real clients that leave a provider that never answers, each in the ways it has: the attempt ends, the record says so. */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import Anthropic from '@anthropic-ai/sdk';
import { createClient, type Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { credentials, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import OpenAI from 'openai';
import { expect, it, vi } from 'vitest';
import { ChatService } from '../../gen/byway/v1/chat_pb.js';
import { ANY_GENERATION } from '../support/generations.js';
import { expectSettled } from '../support/money.js';
import { type ProvidersGateway, startProviders } from '../support/providers.js';

const MAX_ABORT_MS = 1_000;
/** Of clients that leave by a clock: long enough for the request to reach the provider first. */
const LEAVE_AFTER_MS = 1_200;
const WAIT = { timeout: 5_000, interval: 5 };

const CHAT = { model: 'test/m', messages: [{ role: 'user' as const, content: 'Hello there' }] };
const RPC_CHAT = {
  chat: {
    model: 'test/m',
    messages: [{ role: 'user', content: { form: { case: 'text' as const, value: 'Hello there' } } }],
  },
};

/** Sends a chat, whole or streamed, and leaves, by the signal or its own clock; settles when the client has given up. */
type Leave = (gateway: ProvidersGateway, isStreamed: boolean, signal: AbortSignal) => Promise<unknown>;

function curl(...more: readonly string[]): Leave {
  return ({ rest, apiKey }, stream) =>
    new Promise((resolve) => {
      const headers = ['-H', `Authorization: Bearer ${apiKey}`, '-H', 'Content-Type: application/json'];
      const body = JSON.stringify({ ...CHAT, stream });
      execFile(
        'curl',
        [
          '-sN',
          ...more,
          '--max-time',
          String(LEAVE_AFTER_MS / 1000),
          ...headers,
          '-d',
          body,
          `${rest}/chat/completions`,
        ],
        () => resolve(undefined),
      );
    });
}

function connect(transportTo: (baseUrl: string) => Transport, how: 'signal' | 'timeoutMs'): Leave {
  return async ({ url, apiKey }, isStreamed, signal) => {
    const client = createClient(ChatService, transportTo(url));
    const options = {
      headers: { authorization: `Bearer ${apiKey}` },
      ...(how === 'signal' ? { signal } : { timeoutMs: LEAVE_AFTER_MS }),
    };
    if (!isStreamed) return client.createChatCompletion(RPC_CHAT, options);
    for await (const _ of client.streamChatCompletion(RPC_CHAT, options));
    return undefined;
  };
}

function grpcJs(how: 'cancel' | 'deadline' | 'close'): Leave {
  return ({ url, apiKey }, isStreamed, signal) =>
    new Promise((resolve) => {
      const { client, metadata } = grpcClient(url, apiKey);
      const request = {
        chat: { model: 'test/m', messages: [{ role: 'user', content: { text: 'Hello there' } }] },
      };
      const options = how === 'deadline' ? { deadline: Date.now() + LEAVE_AFTER_MS } : {};
      const call = isStreamed
        ? client
            .StreamChatCompletion?.(request, metadata, options)
            .on('data', () => undefined)
            .on('end', resolve)
        : client.CreateChatCompletion?.(request, metadata, options, resolve);
      call.on('error', resolve);
      if (how === 'cancel') signal.addEventListener('abort', () => call.cancel());
      // The channel takes no new calls, and its connection ends with the last stream.
      if (how === 'close') signal.addEventListener('abort', () => [client.close?.(), call.cancel()]);
    });
}

function grpcClient(url: string, apiKey: string) {
  const includeDirs = ['proto', ...['google', 'grpc', 'validate'].map((name) => `proto/vendor/${name}`)];
  const options = { keepCase: true, includeDirs };
  const definition = loadPackageDefinition(loadSync('byway/v1/chat.proto', options));
  const { byway } = definition as unknown as { byway: { v1: { ChatService: ServiceClientConstructor } } };
  const client = new byway.v1.ChatService(new URL(url).host, credentials.createInsecure());
  const { Metadata } = createRequire(import.meta.url)('@grpc/grpc-js');
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${apiKey}`);
  // biome-ignore lint/suspicious/noExplicitAny: methods of a loaded definition have no types
  return { client: client as Record<string, any>, metadata };
}

const CLIENTS: Readonly<Record<string, Leave>> = {
  'curl --max-time over HTTP/1.1': curl('--http1.1'),
  'curl --max-time over HTTP/2': curl('--http2-prior-knowledge'),
  'fetch with a signal': async ({ rest, apiKey }, stream, signal) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ ...CHAT, stream });
    const answer = await fetch(`${rest}/chat/completions`, {
      method: 'POST',
      headers,
      body,
      signal,
    });
    return answer.text();
  },
  'the OpenAI SDK with a signal': async ({ rest, apiKey }, stream, signal) => {
    const openai = new OpenAI({ baseURL: rest, apiKey, maxRetries: 0 });
    const answer = await openai.chat.completions.create({ ...CHAT, stream }, { signal });
    if ('controller' in answer) for await (const _ of answer);
  },
  'the OpenAI SDK by its timeout, or by leaving its loop': async ({ rest, apiKey }, stream) => {
    const openai = new OpenAI({ baseURL: rest, apiKey, maxRetries: 0, timeout: LEAVE_AFTER_MS });
    const answer = await openai.chat.completions.create({ ...CHAT, stream });
    if ('controller' in answer) for await (const _ of answer) break;
  },
  'Anthropic’s SDK with a signal': async ({ url, apiKey }, stream, signal) => {
    const anthropic = new Anthropic({
      baseURL: `${url}/api`,
      authToken: apiKey,
      apiKey: null,
      maxRetries: 0,
    });
    const answer = await anthropic.messages.create({ ...CHAT, stream, max_tokens: 100 }, { signal });
    if ('controller' in answer) for await (const _ of answer);
  },
  'connect-node, Connect over HTTP/1.1, by a signal': connect(
    (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
    'signal',
  ),
  'connect-node, Connect over HTTP/2, by a deadline': connect(
    (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2' }),
    'timeoutMs',
  ),
  'connect-node, gRPC, by a signal': connect((baseUrl) => createGrpcTransport({ baseUrl }), 'signal'),
  'connect-node, gRPC, by a deadline': connect((baseUrl) => createGrpcTransport({ baseUrl }), 'timeoutMs'),
  'connect-node, gRPC-Web over HTTP/1.1, by a signal': connect(
    (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
    'signal',
  ),
  'connect-node, gRPC-Web over HTTP/2, by a deadline': connect(
    (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '2' }),
    'timeoutMs',
  ),
  'grpc-js, by a cancel': grpcJs('cancel'),
  'grpc-js, by a deadline': grpcJs('deadline'),
  'grpc-js, closed with its call': grpcJs('close'),
};

it.each(Object.entries(CLIENTS))('%s ends the attempt, and the record says so', async (_, leave) => {
  const gateway = await startProviders('shared capacity', { env: { BYWAY_ON_DISCONNECT: 'cancel' } });
  const { alpha } = gateway;
  const plans = [{ delayMs: 60_000 }, { delayMs: 60_000 }, { stallAfter: 3 }];
  for (const [index, plan] of plans.entries()) {
    alpha.plan('m', plan);
    const leaving = new AbortController();
    const left = leave(gateway, index > 0, leaving.signal).catch(() => undefined);
    await vi.waitFor(() => expect(alpha.requests).toHaveLength(index + 1), WAIT);
    leaving.abort();
    await left;
    await vi.waitFor(() => expect([plan, alpha.aborts]).toEqual([plan, index + 1]), {
      timeout: MAX_ABORT_MS,
      interval: 5,
    });
    await vi.waitFor(async () => {
      const { stores } = gateway.gateway;
      const page = { offset: 0, limit: 10, after: null };
      const { generations } = await stores.generations.list(gateway.accountId, ANY_GENERATION, page);
      expect(generations.map(({ status }) => status)).toEqual(Array(index + 1).fill('cancelled'));
    }, WAIT);
  }
  await expectSettled(gateway);
});
