import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import { ChatService } from '../../../gen/byway/v1/chat_pb.js';
import { clockAt } from '../../support/clock.js';
import { addByok } from '../../support/limits.js';
import {
  blocked,
  COST_USD,
  expectSettled,
  type MoneyGateway,
  mustSucceed,
  startMoneyGateway,
} from '../../support/money.js';
import { type Answer, bodyOf, caller, type Row, recordOf, refused, rowsOf } from '../../support/rest.js';

const BLOCK = { status: 403, reason: 'end_user_limit_exceeded' };
const HELLO = [{ role: 'user', content: 'Hello there' }];

const setRules = (gateway: MoneyGateway, rules: object) =>
  gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, rules).then(recordOf);

/** A chat that names an end user in a header. */
const chatFor = (gateway: MoneyGateway, endUser: string, model = 'test/paid', more: object = {}) =>
  gateway.use(
    'POST',
    '/chat/completions',
    { model, messages: HELLO, ...more },
    { 'x-byway-end-user': endUser },
  );

const messages = (gateway: MoneyGateway, more: object) =>
  gateway.use('POST', '/messages', { model: 'test/paid', max_tokens: 5, messages: HELLO, ...more });

const endUsers = (gateway: MoneyGateway, query = '') =>
  gateway.manage('GET', `/keys/${gateway.apiKeyHash}/end-users${query}`);

const remaining = ({ headers }: Answer) => headers['x-byway-remaining-usd'];

/** A chat over gRPC with metadata. */
const grpcChat = (gateway: MoneyGateway, metadata: Record<string, string>) =>
  createClient(ChatService, createGrpcTransport({ baseUrl: gateway.url })).createChatCompletion(
    {
      chat: {
        model: 'test/paid',
        messages: [{ role: 'user', content: { form: { case: 'text', value: 'Hi' } } }],
      },
    },
    { headers: { authorization: `Bearer ${gateway.apiKey}`, ...metadata } },
  );

const grpcCode = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => ConnectError.from(error).code,
  );

describe('the limit of end users', () => {
  it('holds for each end user of the key by itself, whatever names it, and for no one else', async () => {
    const gateway = await startMoneyGateway();
    await setRules(gateway, { end_user_limit: 2 * COST_USD });
    await mustSucceed(chatFor(gateway, 'ann'));
    await mustSucceed(gateway.chat('test/paid', { user: 'ann' }));
    for (const ask of [
      chatFor(gateway, 'ann'),
      gateway.chat('test/paid', { user: 'ann' }),
      gateway.chat('test/paid', { safety_identifier: 'ann', user: 'bob', stream: true }),
    ])
      expect(await blocked(ask)).toMatchObject({ ...BLOCK, name: 'ann', limit_usd: 2 * COST_USD });
    const inMessages = await messages(gateway, { metadata: { user_id: 'ann' } });
    expect([inMessages.status, bodyOf(inMessages)]).toMatchObject([
      402,
      { type: 'error', error: { type: 'billing_error' } },
    ]);
    expect(await grpcCode(grpcChat(gateway, { 'x-byway-end-user': 'ann' }))).toBe(Code.PermissionDenied);
    await mustSucceed(chatFor(gateway, 'bob'));
    await mustSucceed(messages(gateway, { metadata: { user_id: 'bob' } }));
    expect(await blocked(chatFor(gateway, 'bob'))).toMatchObject({ ...BLOCK, name: 'bob' });
    for (let count = 0; count < 3; count++) await mustSucceed(gateway.chat('test/paid'));
    await expectSettled(gateway);
  });

  it('counts what a client of another session spends, where only the session differs', async () => {
    const gateway = await startMoneyGateway();
    await setRules(gateway, { end_user_limit: COST_USD });
    const metadata = (session_id: string) => ({
      metadata: { user_id: JSON.stringify({ device_id: 'd1', account_uuid: '', session_id }) },
    });
    await mustSucceed(messages(gateway, metadata('first')));
    expect((await messages(gateway, metadata('second'))).status).toBe(402);
  });

  it('is of one key: the same name behind another key is somebody else', async () => {
    const gateway = await startMoneyGateway();
    const rules = { name: 'Other', end_user_limit: COST_USD };
    const other = String(bodyOf(await gateway.manage('POST', '/keys', rules)).key);
    await setRules(gateway, { end_user_limit: COST_USD });
    await mustSucceed(gateway.chat('test/paid', { user: 'ann' }));
    await mustSucceed(gateway.chat('test/paid', { user: 'ann' }, other));
    expect(await blocked(gateway.chat('test/paid', { user: 'ann' }, other))).toMatchObject(BLOCK);
  });

  it('resets as end_user_limit_reset says', async () => {
    const clock = clockAt('2026-03-04T23:59:00.000Z');
    const gateway = await startMoneyGateway({ clock });
    await setRules(gateway, { end_user_limit: COST_USD, end_user_limit_reset: 'daily' });
    await mustSucceed(chatFor(gateway, 'ann'));
    expect(await blocked(chatFor(gateway, 'ann'))).toMatchObject({
      ...BLOCK,
      interval: 'daily',
      resets_at: '2026-03-05T00:00:00.000Z',
    });
    clock.set('2026-03-05T00:00:00.000Z');
    await mustSucceed(chatFor(gateway, 'ann'));
    expect(rowsOf(await endUsers(gateway))).toMatchObject([{ usage: 2 * COST_USD, remaining: 0 }]);
  });

  it.each([true, false])('counts BYOK usage as include_byok_in_limit says: %s', async (included) => {
    const gateway = await startMoneyGateway();
    await addByok(gateway);
    await setRules(gateway, { end_user_limit: COST_USD, include_byok_in_limit: included });
    await mustSucceed(chatFor(gateway, 'ann'));
    expect((await chatFor(gateway, 'ann')).status).toBe(included ? 403 : 200);
    expect(rowsOf(await endUsers(gateway))).toMatchObject([
      { usage: 0, byok_usage: (included ? 1 : 2) * COST_USD, remaining: included ? 0 : COST_USD },
    ]);
  });

  it('makes an answer say what is left of it, and a refusal too', async () => {
    const gateway = await startMoneyGateway();
    await setRules(gateway, { limit: 1, end_user_limit: 2 * COST_USD });
    expect(remaining(await chatFor(gateway, 'ann'))).toBe('0.01');
    expect(remaining(await chatFor(gateway, 'bob'))).toBe('0.01');
    expect(remaining(await gateway.chat('test/paid'))).toBe('0.97');
    expect(remaining(await chatFor(gateway, 'ann'))).toBe('0');
    expect(remaining(await chatFor(gateway, 'ann'))).toBe('0');
  });

  it('is told by explain as a chat would be refused, by the same header and members', async () => {
    const gateway = await startMoneyGateway();
    await setRules(gateway, { end_user_limit: COST_USD });
    await mustSucceed(chatFor(gateway, 'ann'));
    const { message } = await blocked(chatFor(gateway, 'ann'));
    const said = { reason: BLOCK.reason, message };
    const explain = async (body: object, headers = {}, key = gateway.apiKey): Promise<Row> => {
      const asked = { model: 'test/paid', ...body };
      return recordOf(await caller(gateway, key)('POST', '/routing/explain', asked, headers));
    };
    expect((await explain({ user: 'ann' })).refused).toEqual(said);
    expect((await explain({}, { 'x-byway-end-user': 'ann' })).refused).toEqual(said);
    expect((await explain({ format: 'messages', metadata: { user_id: 'ann' } })).refused).toEqual(said);
    const ofKey = { user: 'ann', api_key_hash: gateway.apiKeyHash };
    expect((await explain(ofKey, {}, gateway.managementKey)).refused).toEqual(said);
    expect((await explain({ user: 'bob' })).refused).toBeNull();
    expect((await explain({})).refused).toBeNull();
  });

  it('waits for what is only reserved, and is 429 limit_reserved where that takes too long', async () => {
    const gateway = await startMoneyGateway({ env: { BYWAY_RESERVATION_WAIT_MS: '0' } });
    await setRules(gateway, { end_user_limit: COST_USD });
    const all = await Promise.all([1, 2, 3].map(() => chatFor(gateway, 'ann', 'test/slow')));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
    const held = all.find(({ status }) => status === 429);
    expect(bodyOf(held as Answer)).toMatchObject({
      error: { metadata: { reason: 'limit_reserved', name: 'ann' } },
    });
    await mustSucceed(chatFor(gateway, 'bob', 'test/slow'));
  });

  it('is exact under 200 requests at once of one end user, and of many', async () => {
    const gateway = await startMoneyGateway();
    await setRules(gateway, { end_user_limit: 10 * COST_USD });
    const served = async (ask: (index: number) => Promise<Answer>) => {
      const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => ask(index)));
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        // No more than a hundred of an account wait.
        const { reason } = await blocked(Promise.resolve(answer));
        expect([BLOCK.reason, 'limit_reserved']).toContain(reason);
      }
      return answers.filter(({ status }) => status === 200).length;
    };
    expect(await served(() => chatFor(gateway, 'ann', 'test/slow'))).toBe(10);
    expect(await served((index) => chatFor(gateway, `user ${index % 15}`, 'test/slow'))).toBe(150);
    const { usage } = recordOf(await gateway.use('GET', '/key'));
    expect(usage).toBeCloseTo(160 * COST_USD, 9);
    for (const row of rowsOf(await endUsers(gateway))) expect(row).toMatchObject({ remaining: 0 });
    await expectSettled(gateway);
  });
});

describe('a key that requires end users', () => {
  it('refuses whoever names none, over every API, and records nothing', async () => {
    const gateway = await startMoneyGateway();
    await setRules(gateway, { end_user_required: true });
    const rule = 'X-Byway-End-User required';
    for (const stream of [false, true]) {
      const chat = () => gateway.chat('test/paid', { user: ' ', stream });
      expect(await refused(gateway, chat)).toEqual([400, 'invalid_request', rule]);
    }
    const inMessages = await messages(gateway, { metadata: { user_id: null } });
    expect([inMessages.status, bodyOf(inMessages)]).toMatchObject([
      400,
      { error: { type: 'invalid_request_error' } },
    ]);
    expect(await grpcCode(grpcChat(gateway, {}))).toBe(Code.InvalidArgument);
    expect(rowsOf(await gateway.manage('GET', '/generations'))).toEqual([]);
    expect(
      recordOf(await gateway.use('POST', '/routing/explain', { model: 'test/paid' })).refused,
    ).toMatchObject({
      reason: 'invalid_request',
    });
    await mustSucceed(gateway.chat('test/paid', { user: 'ann' }));
    await mustSucceed(messages(gateway, { metadata: { user_id: 'ann' } }));
    await grpcChat(gateway, { 'x-byway-end-user': 'ann' });
    expect(rowsOf(await endUsers(gateway))).toMatchObject([{ end_user: 'ann', requests: 3 }]);
  });

  it('counts tokens for nobody in particular', async () => {
    const gateway = await startMoneyGateway();
    await setRules(gateway, { end_user_required: true });
    const counted = await gateway.use('POST', '/messages/count_tokens', {
      model: 'test/paid',
      messages: HELLO,
    });
    expect(counted.status).toBe(200);
  });
});

it('a header of more than 256 characters is 400, and a member of more counts as its hash', async () => {
  const gateway = await startMoneyGateway();
  expect(await refused(gateway, () => chatFor(gateway, 'x'.repeat(257)))).toEqual([
    400,
    'invalid_request',
    'X-Byway-End-User length',
  ]);
  await mustSucceed(gateway.chat('test/paid', { user: 'x'.repeat(257) }));
  const [{ end_user } = {}] = rowsOf(await endUsers(gateway));
  expect(end_user).toMatch(/^sha256:[0-9a-f]{64}$/);
});
