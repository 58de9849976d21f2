import { Code, ConnectError, createClient, type Interceptor, type Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { expect, it } from 'vitest';
import { ChatService } from '../../../gen/byway/v1/chat_pb.js';
import { guardrail, setLimit, workspaceBudget } from '../../support/limits.js';
import { blocked, COST_USD, type MoneyGateway, mustSucceed, startMoneyGateway } from '../../support/money.js';

type Setting = readonly [string, (gateway: MoneyGateway) => Promise<unknown>, object];
const KEY = { status: 403, reason: 'key_limit_exceeded' };
const GUARDRAIL = { status: 403, reason: 'guardrail_budget_exceeded' };
const WORKSPACE = { status: 403, reason: 'workspace_budget_exceeded' };

/** Every kind of limit. */
const SETTINGS: readonly Setting[] = [
  ['a key limit', (gateway) => setLimit(gateway, { limit: COST_USD }), KEY],
  ...(['key', 'member', 'default'] as const).map(
    (to): Setting => [
      `a guardrail budget of the ${to}`,
      (gateway) => guardrail(gateway, { limit_usd: COST_USD }, to),
      GUARDRAIL,
    ],
  ),
  ['a workspace budget', (gateway) => workspaceBudget(gateway, 'daily', { limit_usd: COST_USD }), WORKSPACE],
  ['credits', async () => undefined, { status: 402, reason: 'insufficient_credits' }],
];

const CHAT = {
  model: 'test/paid',
  messages: [{ role: 'user', content: { form: { case: 'text' as const, value: 'Hi' } } }],
};

/** The RPC transports. */
function transports({ url: baseUrl, apiKey }: MoneyGateway): Transport[] {
  const bearer: Interceptor = (next) => (request) => {
    request.header.set('authorization', `Bearer ${apiKey}`);
    return next(request);
  };
  const options = { baseUrl, httpVersion: '2' as const, interceptors: [bearer] };
  return [createConnectTransport(options), createGrpcTransport(options), createGrpcWebTransport(options)];
}

async function refusal(call: Promise<unknown>): Promise<Code | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => ConnectError.from(error).code,
  );
}

it.each(SETTINGS)('%s blocks over every transport, in one piece and streamed', async (name, set, block) => {
  const gateway = await startMoneyGateway({ credits: name === 'credits' ? 10_000_000n : 10n ** 12n });
  await set(gateway);
  await mustSucceed(gateway.chat('test/paid'));
  for (const stream of [false, true]) {
    expect(await blocked(gateway.chat('test/paid', { stream }))).toMatchObject(block);
  }
  const code = name === 'credits' ? Code.FailedPrecondition : Code.PermissionDenied;
  for (const transport of transports(gateway)) {
    const client = createClient(ChatService, transport);
    expect(await refusal(client.createChatCompletion({ chat: CHAT }))).toBe(code);
    const stream = client.streamChatCompletion({ chat: CHAT });
    expect(await refusal(stream[Symbol.asyncIterator]().next())).toBe(code);
  }
  const { total_count } = JSON.parse((await gateway.manage('GET', '/generations')).text);
  expect(total_count).toBe(1);
});
