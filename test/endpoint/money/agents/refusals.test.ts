import Anthropic from '@anthropic-ai/sdk';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import OpenAI from 'openai';
import { beforeEach, describe, expect, it } from 'vitest';
import { ChatService } from '../../../../gen/byway/v1/chat_pb.js';
import { ErrorDetailSchema } from '../../../../gen/byway/v1/error_pb.js';
import { MessagesService } from '../../../../gen/byway/v1/messages_pb.js';
import { setLimit } from '../../../support/limits.js';
import { type ProvidersGateway, startProviders, TOKEN_USD } from '../../../support/providers.js';
import { type Answer, bodyOf, type Row } from '../../../support/rest.js';
import { waitFor } from '../../../support/wait-for.js';

const MAX_TOKENS = 1_000;
const RESERVED_USD = MAX_TOKENS * TOKEN_USD.alpha;
const COST_USD = 4 * TOKEN_USD.alpha;
const CONTENT = 'Hello there';
const CHAT = {
  model: 'test/m',
  max_tokens: MAX_TOKENS,
  messages: [{ role: 'user' as const, content: CONTENT }],
};
const RPC_CHAT = {
  model: 'test/m',
  maxTokens: MAX_TOKENS,
  messages: [{ role: 'user', content: { form: { case: 'text' as const, value: CONTENT } } }],
};

/** What a client sees of a refusal. */
interface Seen {
  readonly status: number | Code;
  readonly type: unknown;
  readonly reason: unknown;
  readonly retryAfter: string | null;
  readonly remaining: string | null;
  readonly metadata: Row;
}

function seenIn({ status, headers, text }: Answer): Seen {
  const { error } = bodyOf({ status, headers, text } as Answer) as { error: { type: string; metadata: Row } };
  const { reason, ...metadata } = error.metadata;
  return {
    ...{ status, type: error.type, reason, metadata },
    retryAfter: headers['retry-after'] ?? null,
    remaining: (headers['x-byway-remaining-usd'] as string | undefined) ?? null,
  };
}

async function seenBy(call: Promise<unknown>): Promise<Seen> {
  const error = ConnectError.from(
    await call.then(
      () => new Error('served'),
      (thrown: unknown) => thrown,
    ),
  );
  const [detail] = error.findDetails(ErrorDetailSchema);
  return {
    ...{ status: error.code, type: null, reason: detail?.reason, metadata: { ...detail?.metadata } },
    retryAfter: error.metadata.get('retry-after'),
    remaining: error.metadata.get('x-byway-remaining-usd'),
  };
}

const firstOf = (stream: AsyncIterable<unknown>) => stream[Symbol.asyncIterator]().next();

type Ask = (gateway: ProvidersGateway, isStreamed: boolean) => Promise<Seen>;

function overRpc(transportTo: (baseUrl: string) => Transport): {
  readonly chat: Ask;
  readonly messages: Ask;
} {
  const callOptions = ({ apiKey }: ProvidersGateway) => ({
    headers: { authorization: `Bearer ${apiKey}` },
  });
  return {
    chat(gateway, isStreamed) {
      const client = createClient(ChatService, transportTo(gateway.url));
      const options = callOptions(gateway);
      return seenBy(
        isStreamed
          ? firstOf(client.streamChatCompletion({ chat: RPC_CHAT }, options))
          : client.createChatCompletion({ chat: RPC_CHAT }, options),
      );
    },
    messages(gateway, isStreamed) {
      const client = createClient(MessagesService, transportTo(gateway.url));
      const options = callOptions(gateway);
      return seenBy(
        isStreamed
          ? firstOf(client.streamMessage({ request: RPC_CHAT }, options))
          : client.createMessage({ request: RPC_CHAT }, options),
      );
    },
  };
}

const grpc = overRpc((baseUrl) => createGrpcTransport({ baseUrl }));
const connect = overRpc((baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' }));

interface Api {
  readonly ask: Ask;
  readonly spent: readonly [status: number | Code, type: string | null];
  readonly poor: readonly [status: number | Code, type: string | null];
  readonly held: readonly [status: number | Code, type: string | null];
}

const RPC: Omit<Api, 'ask'> = {
  spent: [Code.PermissionDenied, null],
  poor: [Code.FailedPrecondition, null],
  held: [Code.ResourceExhausted, null],
};

const APIS: Readonly<Record<string, Api>> = {
  chat: {
    ask: async (gateway, stream) =>
      seenIn(await gateway.use('POST', '/chat/completions', { ...CHAT, stream })),
    spent: [403, 'insufficient_quota'],
    poor: [402, 'insufficient_quota'],
    held: [429, 'rate_limit_error'],
  },
  Messages: {
    ask: async (gateway, stream) => seenIn(await gateway.use('POST', '/messages', { ...CHAT, stream })),
    spent: [402, 'billing_error'],
    poor: [402, 'billing_error'],
    held: [429, 'rate_limit_error'],
  },
  'chats over gRPC': { ask: grpc.chat, ...RPC },
  'Messages over gRPC': { ask: grpc.messages, ...RPC },
  'chats over Connect': { ask: connect.chat, ...RPC },
  'Messages over Connect': { ask: connect.messages, ...RPC },
};

const LIMIT = { id: expect.any(String), name: expect.any(String), interval: 'daily' };
const RESET = { resets_at: expect.stringMatching(/T00:00:00.*Z$/) };

describe.each(Object.entries(APIS))('a client of %s', (_, api) => {
  describe.each([false, true])('whose answers are streamed: %s', (isStreamed) => {
    it('is told that a limit is spent, of how much, and that nothing remains', async () => {
      const gateway = await startProviders('shared capacity');
      await setLimit(gateway, { limit: COST_USD, limit_reset: 'daily' });
      await gateway.chat('test/m', CHAT);
      const amounts = { limit_usd: COST_USD, spent_usd: COST_USD, reserved_usd: 0 };
      expect(await api.ask(gateway, isStreamed)).toMatchObject({
        ...{ status: api.spent[0], type: api.spent[1], reason: 'key_limit_exceeded' },
        ...{ retryAfter: null, remaining: '0', metadata: { ...LIMIT, ...RESET, ...amounts } },
      });
    });

    it('is told that credits are spent, and what remains of limits apart from them', async () => {
      const gateway = await startProviders('shared capacity', { credits: 400_000n });
      await gateway.chat('test/m', CHAT);
      await setLimit(gateway, { limit: 1 });
      expect(await api.ask(gateway, isStreamed)).toMatchObject({
        ...{ status: api.poor[0], type: api.poor[1], reason: 'insufficient_credits' },
        ...{ retryAfter: null, remaining: String(1 - COST_USD) },
      });
    });

    it('is told that a limit is held, by how much, and when to come again', async () => {
      const gateway = await startProviders('shared capacity', { env: { BYWAY_RESERVATION_WAIT_MS: '0' } });
      await setLimit(gateway, { limit: RESERVED_USD, limit_reset: 'daily' });
      gateway.alpha.plan('m', { delayMs: 700 });
      const inFlight = gateway.chat('test/m', CHAT);
      await waitFor(() => expect(gateway.alpha.requests).toHaveLength(1));
      const amounts = { limit_usd: RESERVED_USD, spent_usd: 0, reserved_usd: RESERVED_USD };
      expect(await api.ask(gateway, isStreamed)).toMatchObject({
        ...{ status: api.held[0], type: api.held[1], reason: 'limit_reserved' },
        ...{ retryAfter: '1', remaining: '0', metadata: { ...LIMIT, ...RESET, ...amounts } },
      });
      await inFlight;
    });
  });
});

describe('official SDKs, unmodified', () => {
  let gateway: ProvidersGateway;
  /** What the gateway was asked, by the status of its answer. */
  let statuses: number[];
  const watched: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    statuses.push(answer.status);
    return answer;
  };
  const openai = () => {
    const client = new OpenAI({ baseURL: gateway.rest, apiKey: gateway.apiKey, fetch: watched });
    return (stream: boolean) => client.chat.completions.create({ ...CHAT, stream });
  };
  const anthropic = () => {
    const { url, apiKey } = gateway;
    const client = new Anthropic({ baseURL: `${url}/api`, apiKey, authToken: null, fetch: watched });
    return (stream: boolean) => client.messages.create({ ...CHAT, stream });
  };
  beforeEach(async () => {
    statuses = [];
    gateway = await startProviders('shared capacity', { env: { BYWAY_RESERVATION_WAIT_MS: '0' } });
  });

  describe.each([
    ['openai', openai, 403],
    ['@anthropic-ai/sdk', anthropic, 402],
  ] as const)('%s', (_, client, spent) => {
    it.each([false, true])(
      'comes again after limit_reserved, and is served (streamed: %s)',
      async (stream) => {
        await setLimit(gateway, { limit: RESERVED_USD });
        gateway.alpha.plan('m', { delayMs: 500 }, {});
        const inFlight = gateway.chat('test/m', CHAT);
        await waitFor(() => expect(gateway.alpha.requests).toHaveLength(1));
        await client()(stream);
        expect(statuses).toEqual([429, 200]);
        await inFlight;
      },
    );

    it.each([false, true])('does not come again for a limit that is spent (streamed: %s)', async (stream) => {
      await setLimit(gateway, { limit: 0 });
      await expect(client()(stream)).rejects.toMatchObject({ status: spent });
      expect(statuses).toEqual([spent]);
    });
  });
});
