import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, type Call, caller, type Row, recordOf } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let use: Call;
beforeAll(async () => {
  gateway = await launchGateway();
  use = caller(gateway, gateway.apiKey);
});
afterAll(() => gateway.stop());

const CHAT = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
const CHAT_OVER_RPC = [{ role: 'user', content: { text: 'Hello' } }];
const SESSIONS = Array.from({ length: 12 }, (_, index) => `5f0c${index}`);

async function providerOf(members: object, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  return bodyOf(await use('POST', '/chat/completions', { ...CHAT, ...members }, headers)).provider;
}

async function providerOfMessage(
  members: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const answer = await use('POST', '/messages', { ...CHAT, max_tokens: 10, ...members }, headers);
  return recordOf(await use('GET', `/generation?id=${answer.headers['x-generation-id']}`)).provider;
}

async function explained(members: object, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { data } = bodyOf(await use('POST', '/routing/explain', { ...CHAT, ...members }, headers));
  return (data as { attempts: Row[] }).attempts[0]?.provider;
}

it('a conversation that has a name is served by one of several equal endpoints, as explained', async () => {
  const served = new Set<unknown>();
  for (const session of SESSIONS) {
    const provider = await providerOf({ session_id: session });
    expect(await providerOf({ session_id: session })).toBe(provider);
    expect(await explained({ session_id: session })).toBe(provider);
    served.add(provider);
  }
  expect(served.size).toBeGreaterThan(1);
});

it.each(['x-claude-code-session-id', 'session-id', 'session_id', 'x-session-id', 'x-session-affinity'])(
  'in the header %s, over REST and RPC, in any API',
  async (name) => {
    for (const session of SESSIONS) {
      const provider = await providerOf({ session_id: session });
      const header = { [name]: session };
      expect(await providerOf({ user: 'somebody', prompt_cache_key: 'p' }, header)).toBe(provider);
      expect(await explained({ user: 'somebody' }, header)).toBe(provider);
      const rpc = await fetch(`${gateway.url}/byway.v1.ChatService/CreateChatCompletion`, {
        method: 'POST',
        headers: { ...header, authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ chat: { model: CHAT.model, messages: CHAT_OVER_RPC } }),
      });
      expect(await rpc.json()).toMatchObject({ provider });
      expect(await providerOfMessage({}, header)).toBe(provider);
    }
  },
);

it('or in a member', async () => {
  for (const session of SESSIONS) {
    const provider = await providerOf({ session_id: session });
    expect(await providerOf({ prompt_cache_key: session, user: 'somebody' })).toBe(provider);
    expect(await providerOf({ user: session })).toBe(provider);
    expect(await providerOfMessage({ metadata: { user_id: session } })).toBe(provider);
    expect(await providerOfMessage({ session_id: session })).toBe(provider);
    const user_id = JSON.stringify({ device_id: 'd', account_uuid: 'a', session_id: session });
    expect(await providerOfMessage({ metadata: { user_id } })).toBe(provider);
    expect(await providerOfMessage({ metadata: { user_id: `user_d_account_a_session_${session}` } })).toBe(
      provider,
    );
  }
});

it('and without a name by the first one', async () => {
  expect([await providerOf({}), await explained({})]).toEqual(['a', 'a']);
});

it('its name is in the record of each of its generations', async () => {
  const recorded = async (members: object, headers: Readonly<Record<string, string>> = {}) => {
    const { id } = bodyOf(await use('POST', '/chat/completions', { ...CHAT, ...members }, headers));
    return recordOf(await use('GET', `/generation?id=${id}`)).session_id;
  };
  expect(await recorded({ user: 'u' }, { 'x-claude-code-session-id': 'claude' })).toBe('claude');
  expect(await recorded({ user: 'u', prompt_cache_key: 'cache' })).toBe('cache');
  expect(await recorded({}, { 'x-session-affinity': 'crush' })).toBe('crush');
  expect(await recorded({ user: 'nul \0' })).toBe('nul \ufffd');
  expect(await recorded({ user: 'x'.repeat(257) })).toBeNull();
  expect(await recorded({})).toBeNull();
});
