import { describe, expect, it } from 'vitest';
import { error } from '../../support/fakes/fake-anthropic/errors.js';
import type { FakePlan } from '../../support/fakes/fake-anthropic/plan.js';
import { FAKE_API_KEY } from '../../support/fakes/fake-anthropic.js';
import { bodyOf, caller, recordOf, rowsOf, send } from '../../support/rest.js';
import { CLAUDE, eventsIn, HELLO, startMessages, textIn } from './messages.fixture.js';

const REQUEST = { model: CLAUDE, ...HELLO };
const STREAMED = { ...REQUEST, stream: true };

const REFUSED: FakePlan = error(
  400,
  'invalid_request_error',
  'adaptive thinking is not supported on this model',
);
const BROKEN: FakePlan = error(500, 'api_error', 'Internal server error');
const LIMITED: FakePlan = { ...error(429, 'rate_limit_error', 'Slow down'), headers: { 'retry-after': '7' } };

function hex(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0');
}

/** Enough for the head and the first words of a stream. */
const SOME_BYTES = 900;

describe('an error of Messages', () => {
  it('is the provider’s own where it refuses the request, without the credential', async () => {
    const message = `thinking: not with ${FAKE_API_KEY}, sorry`;
    const refused = error(422, 'invalid_request_error', message);
    const { use } = await startMessages([refused]);
    for (const body of [REQUEST, STREAMED]) {
      const answer = await use('POST', '/messages', body);
      expect(answer.status).toBe(422);
      expect(answer.text).toBe(JSON.stringify(refused.body).replace(FAKE_API_KEY, '[credential]'));
      expect(answer.headers['x-generation-id']).toBeUndefined();
    }
  });

  it.each([
    ['escaped for JSON', (character: string) => `\\u${hex(character, 4)}`],
    ['escaped for JSON twice', (character: string) => `\\\\u${hex(character, 4)}`],
    ['percent-encoded', (character: string) => `%${hex(character, 2).toUpperCase()}`],
    ['percent-encoded twice', (character: string) => `%25${hex(character, 2)}`],
  ])('has no credential either whose every character is %s', async (_, write) => {
    const spelled = [...FAKE_API_KEY].map(write).join('');
    const body = `{"type":"error","error":{"type":"invalid_request_error","message":"not with ${spelled}"}}`;
    const { use } = await startMessages([{ status: 400, body }]);
    for (const request of [REQUEST, STREAMED]) {
      const answer = await use('POST', '/messages', request);
      expect([answer.status, answer.text]).toEqual([400, body.replace(spelled, '[credential]')]);
    }
  });

  it.each([
    ['a refusal after a failure is the refusal', [BROKEN, REFUSED], 400, 'invalid_request_error'],
    ['a failure after a refusal asks to try again', [REFUSED, BROKEN], 529, 'overloaded_error'],
    ['limits everywhere are a limit', [LIMITED, LIMITED], 429, 'rate_limit_error'],
  ] as const)('%s', async (_, plans, status, type) => {
    const { use } = await startMessages(plans);
    for (const body of [REQUEST, STREAMED]) {
      const answer = await use('POST', '/messages', body);
      expect(answer.status, answer.text).toBe(status);
      expect(bodyOf(answer)).toMatchObject({ type: 'error', error: { type } });
      expect(answer.headers['retry-after'] !== undefined).toBe(status === 429);
    }
  });

  it('has Anthropic’s form and status whatever is wrong', async () => {
    const { use, gateway, manage } = await startMessages();
    const url = `${gateway.rest}/messages`;
    const bearer = { authorization: `Bearer ${gateway.apiKey}` };
    const text = { ...bearer, 'content-type': 'text/plain' };
    const answers = {
      authentication: await send(url, 'POST', { body: REQUEST }),
      method: await send(url, 'GET', { headers: bearer }),
      path: await send(`${url}/batches`, 'POST', { headers: bearer, body: REQUEST }),
      type: await send(url, 'POST', { headers: text, body: 'Hello' }),
      json: await send(url, 'POST', { headers: bearer, body: '{' }),
      rule: await use('POST', '/messages', { ...REQUEST, max_tokens: -1 }),
      model: await use('POST', '/messages', { ...REQUEST, model: 'no/such' }),
      endpoint: await use('POST', '/messages', { ...REQUEST, provider: { only: ['nobody'] } }),
      role: await manage('POST', '/messages', REQUEST),
    };
    const told = Object.entries(answers).map(([name, answer]) => {
      const { type, error: thrown, request_id } = bodyOf(answer) as Record<string, { type?: unknown }>;
      expect([type, typeof request_id]).toEqual(['error', 'string']);
      expect(answer.headers['request-id']).toBe(request_id);
      return [name, answer.status, thrown?.type];
    });
    expect(told).toEqual([
      ['authentication', 401, 'authentication_error'],
      ['method', 405, 'invalid_request_error'],
      ['path', 404, 'not_found_error'],
      ['type', 415, 'invalid_request_error'],
      ['json', 400, 'invalid_request_error'],
      ['rule', 400, 'invalid_request_error'],
      ['model', 404, 'not_found_error'],
      ['endpoint', 400, 'invalid_request_error'],
      ['role', 403, 'permission_error'],
    ]);
  });

  it('for money is 402, whichever money is missing', async () => {
    const { use, gateway, manage } = await startMessages([{}], { credits: 0n });
    const broke = await use('POST', '/messages', { ...REQUEST, model: 'demo/echo' });
    expect([broke.status, bodyOf(broke)]).toMatchObject([402, { error: { type: 'billing_error' } }]);
    const created = bodyOf(
      await manage('POST', '/keys', { name: 'Small', limit: 0, include_byok_in_limit: true }),
    );
    const small = caller(gateway, String(created.key));
    const limited = await small('POST', '/messages', REQUEST);
    expect([limited.status, bodyOf(limited)]).toMatchObject([
      402,
      { error: { type: 'billing_error', metadata: { reason: 'key_limit_exceeded' } } },
    ]);
  });

  it('names the tool that only an endpoint of the format serves', async () => {
    const { use } = await startMessages();
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const refused = await use('POST', '/messages', { ...REQUEST, tools, model: 'demo/echo' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('web_search');
    const both = await use('POST', '/messages', { ...REQUEST, tools, models: ['demo/echo', CLAUDE] });
    expect([both.status, bodyOf(both).model]).toEqual([200, CLAUDE]);
  });
});

describe('a stream of Messages', () => {
  it.each([
    ['a status', BROKEN],
    ['a broken connection', { reset: true }],
    ['an error event', { events: [error(529, 'overloaded_error', 'Overloaded').body as never] }],
    ['an end before the first word', { endAfterBytes: 60 }],
  ] as const)('goes on at another endpoint until its first content: %s', async (_, plan) => {
    const { use, manage } = await startMessages([plan, {}]);
    const answer = await use('POST', '/messages', STREAMED);
    expect(textIn(eventsIn(answer.text))).toBe('Grüezi mitenand 👋🏽!');
    const [record] = rowsOf(await manage('GET', '/generations'));
    expect(record).toMatchObject({ provider: 'second', lane: 'native' });
  });

  it.each([
    ['a broken connection', { cutAfterBytes: SOME_BYTES, words: Array<string>(50).fill('word ') }],
    ['an answer without an end', { isStopMissing: true }],
    [
      'an error event',
      { events: [...firstEvents(), error(529, 'overloaded_error', 'Overloaded').body as never] },
    ],
  ] as const)('ends with an error after its first content: %s', async (_, plan) => {
    const { use, manage } = await startMessages([plan, {}]);
    const events = eventsIn((await use('POST', '/messages', STREAMED)).text);
    expect(events.at(0)).toMatchObject({ type: 'message_start' });
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
    const [record] = rowsOf(await manage('GET', '/generations'));
    expect(record).toMatchObject({ provider: 'first', finish_reason: 'error' });
    expect(Number(record?.tokens_completion)).toBeGreaterThan(0);
  });

  it('pings in silence, while another endpoint takes over', async () => {
    const { use } = await startMessages([{ ...BROKEN, delayMs: 300 }, {}], { env: { BYWAY_PING_MS: '50' } });
    const answer = await use('POST', '/messages', STREAMED);
    const events = eventsIn(answer.text);
    expect(events[0]).toEqual({ type: 'ping' });
    expect(textIn(events)).toBe('Grüezi mitenand 👋🏽!');
    expect(answer.headers['x-generation-id']).toMatch(/^gen-/);
  });

  it('ends with an error where nothing came but pings', async () => {
    const { use } = await startMessages([{ ...BROKEN, delayMs: 300 }], { env: { BYWAY_PING_MS: '50' } });
    const answer = await use('POST', '/messages', STREAMED);
    const events = eventsIn(answer.text);
    expect(answer.status).toBe(200);
    expect(new Set(events.slice(0, -1).map(({ type }) => type))).toEqual(new Set(['ping']));
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'overloaded_error', metadata: { reason: 'upstream_failed' } },
      request_id: answer.headers['request-id'],
    });
  });

  it('is silent where pings are switched off, and a chat has comments once it has begun', async () => {
    const slow = { delayMs: 200, stallAfter: 4, paceMs: 60 };
    const off = await startMessages([{ delayMs: 200 }], { env: { BYWAY_PING_MS: '0' } });
    const quiet = eventsIn((await off.use('POST', '/messages', STREAMED)).text);
    expect(quiet[0]).toMatchObject({ type: 'message_start' });
    const on = await startMessages([{ ...slow }], {
      env: { BYWAY_PING_MS: '40', BYWAY_IDLE_TIMEOUT_MS: '400' },
    });
    const chat = await on.use('POST', '/chat/completions', { ...REQUEST, stream: true });
    expect(chat.text).toMatch(/^data: /);
    expect(chat.text).toContain('\n\n: waiting\n\n');
  });

  it('that its client leaves is billed what was produced where it is cut', async () => {
    const words = Array<string>(200).fill('word ');
    const { gateway, manage } = await startMessages([{ words, paceMs: 20 }], {
      env: { BYWAY_ON_DISCONNECT: 'cancel' },
    });
    const leave = new AbortController();
    const answer = await fetch(`${gateway.rest}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(STREAMED),
      signal: leave.signal,
    });
    await answer.body?.getReader().read();
    leave.abort();
    const id = answer.headers.get('x-generation-id');
    const recorded = async () => (await manage('GET', `/generation?id=${id}`)).status;
    await expect.poll(recorded, { timeout: 5000 }).toBe(200);
    const record = recordOf(await manage('GET', `/generation?id=${id}`));
    expect(record).toMatchObject({ cancelled: true, api: 'messages' });
    expect(Number(record.tokens_completion)).toBeGreaterThan(0);
    expect(Number(record.tokens_completion)).toBeLessThan(200);
  });
});

function firstEvents() {
  return [
    {
      type: 'message_start',
      message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 3 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Some words' } },
  ];
}
