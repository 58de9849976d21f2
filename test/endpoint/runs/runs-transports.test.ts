import { Code, ConnectError, createClient } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { expect, it } from 'vitest';
import { AccountService } from '../../../gen/byway/v1/accounts_pb.js';
import { ChatService } from '../../../gen/byway/v1/chat_pb.js';
import { COST_USD, startMoneyGateway } from '../../support/money.js';

const CHAT = {
  model: 'test/paid',
  messages: [{ role: 'user', content: { form: { case: 'text' as const, value: 'Hi' } } }],
};

it.each([
  ['Connect', createConnectTransport],
  ['gRPC', createGrpcTransport],
  ['gRPC-Web', createGrpcWebTransport],
])(
  'a run is named and limited in the metadata of a call over %s, in one piece and streamed',
  async (_, create) => {
    const gateway = await startMoneyGateway();
    const transport = create({ baseUrl: gateway.url, httpVersion: '2' });
    const chats = createClient(ChatService, transport);
    const headers = (limit: number) => ({
      authorization: `Bearer ${gateway.apiKey}`,
      'x-byway-run': 'r',
      'x-byway-run-limit-usd': String(limit),
    });
    const codeOf = async (call: Promise<unknown>) =>
      call.then(
        () => undefined,
        (error: unknown) => ConnectError.from(error).code,
      );
    const whole = (limit: number) =>
      codeOf(chats.createChatCompletion({ chat: CHAT }, { headers: headers(limit) }));
    const streamed = async () => {
      for await (const _ of chats.streamChatCompletion({ chat: CHAT }, { headers: headers(COST_USD) }));
    };
    expect(await whole(COST_USD)).toBeUndefined();
    expect(await whole(COST_USD)).toBe(Code.FailedPrecondition);
    expect(await codeOf(streamed())).toBe(Code.FailedPrecondition);
    expect(await whole(1)).toBe(Code.FailedPrecondition);
    expect(await whole(-1)).toBe(Code.InvalidArgument);
    const { data } = await createClient(AccountService, transport).listRuns({}, { headers: headers(1) });
    expect(data).toMatchObject([{ name: 'r', requests: 1n, usage: COST_USD, limitUsd: COST_USD }]);
  },
);
