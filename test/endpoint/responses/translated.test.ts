import { describe, expect, it } from 'vitest';
import { scriptedCatalog } from '../../support/catalog.js';
import { startGateway, type TestGatewayOptions } from '../../support/gateway.js';
import { judged } from '../../support/responses/event-order.js';
import { type Answer, bodyOf, caller, type Row, recordOf } from '../../support/rest.js';

const SECONDS_A_DAY = 86_400;

const HELLO = { input: 'Hello there', model: 'demo/echo' };

async function start(options: TestGatewayOptions = {}) {
  const gateway = await startGateway({ catalog: scriptedCatalog(), ...options });
  return {
    gateway,
    use: caller(gateway, gateway.apiKey),
    manage: caller(gateway, gateway.managementKey),
  };
}

/** The events of a stream, each named by its type. */
function eventsIn(text: string): Row[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [, name, data = ''] = /^event: (\S+)\ndata: (.*)$/s.exec(block) ?? [];
      const event: Row = JSON.parse(data);
      expect(name).toBe(event.type);
      return event;
    });
}

/** Without what differs between two answers to the same request. */
function likeness({ id, created_at, completed_at, output, ...rest }: Row): unknown {
  const items = (output as Row[]).map(({ id: itemId, call_id, ...item }) => item);
  return { ...rest, output: items };
}

function errorOf(answer: Answer) {
  return [answer.status, (bodyOf(answer) as { readonly error: Row }).error] as const;
}

describe('an answer of Responses', () => {
  it.each(['echo', 'reasoner', 'tools'])(
    'of %s is the same whole and streamed, and costs the same',
    async (script) => {
      const { use } = await start();
      const request = {
        ...{ model: `demo/${script}`, input: 'Hello there', reasoning: { summary: 'auto' } },
        tools: [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }],
      };
      const whole = bodyOf(await use('POST', '/responses', request)) as Row;
      const streamed = await use('POST', '/responses', { ...request, stream: true });
      expect(streamed.headers['content-type']).toBe('text/event-stream; charset=utf-8');
      expect(streamed.text).not.toContain('[DONE]');
      const last = judged(eventsIn(streamed.text));
      expect(likeness(last)).toEqual(likeness(whole));
      expect(whole).toMatchObject({ object: 'response', status: 'completed', store: false });
      expect(whole.id).toMatch(/^resp_gen-/);
      expect((whole.usage as Row).cost).toBeGreaterThan(0);
    },
  );

  it('has its record: the API, the lane, and what it cost', async () => {
    const { use } = await start();
    const answer = await use('POST', '/responses', HELLO);
    const { usage } = bodyOf(answer) as Row;
    const id = answer.headers['x-generation-id'];
    const record = recordOf(await use('GET', `/generation?id=${id}`));
    expect(record).toMatchObject({ api: 'responses', lane: 'translated', usage: (usage as Row).cost });
  });

  it('that breaks off ends with an error and the failed response, with what came and what it cost', async () => {
    const { use } = await start();
    const input = 'One two three four five six seven eight';
    const { status, text } = await use('POST', '/responses', {
      model: 'demo/break-after-3',
      input,
      stream: true,
    });
    expect(status).toBe(200);
    const events = eventsIn(text);
    expect(events.map(({ type }) => type).slice(-2)).toEqual(['error', 'response.failed']);
    const response = judged(events);
    expect(response).toMatchObject({
      status: 'failed',
      error: { code: 'server_error' },
      output: [{ type: 'message', status: 'incomplete' }],
    });
    expect((response.usage as Row).cost).toBeGreaterThan(0);
  });
});

describe('a refusal of Responses', () => {
  it.each([
    ['an unknown model', { model: 'no/such' }, 400, 'invalid_request_error', 'model_not_found', 'model'],
    [
      'nothing that serves',
      { provider: { only: ['none'] } },
      400,
      'invalid_request_error',
      'no_endpoint',
      null,
    ],
    ['a limit upstream', { model: 'demo/status-429' }, 429, 'rate_limit_error', 'rate_limit_exceeded', null],
    ['a failure upstream', { model: 'demo/status-500' }, 502, 'server_error', 'server_error', null],
    [
      'filtered content',
      { model: 'demo/content-filter' },
      400,
      'invalid_request_error',
      'invalid_prompt',
      null,
    ],
  ])('for %s has OpenAI’s words, whole and streamed', async (_, more, status, type, code, param) => {
    const { use } = await start();
    for (const stream of [false, true]) {
      const refused = errorOf(await use('POST', '/responses', { ...HELLO, ...more, stream }));
      expect(refused).toEqual([
        status,
        expect.objectContaining({ type, code, param, message: expect.any(String) }),
      ]);
    }
  });

  it('without a credential is 401', async () => {
    const { gateway } = await start();
    const nobody = caller(gateway, 'sk-or-v1-none');
    expect(errorOf(await nobody('POST', '/responses', HELLO))).toEqual([
      401,
      expect.objectContaining({ type: 'authentication_error', code: 'invalid_api_key' }),
    ]);
  });

  it('of a key whose limit is spent says when it resets; without a reset it is a quota', async () => {
    const { gateway, manage } = await start();
    for (const [limit_reset, type] of [
      ['daily', 'usage_limit_reached'],
      [null, 'insufficient_quota'],
    ] as const) {
      const made = bodyOf(
        await manage('POST', '/keys', { name: 'k', limit: 0.00000001, limit_reset }),
      ) as Row;
      const use = caller(gateway, String(made.key));
      expect((await use('POST', '/responses', HELLO)).status).toBe(200);
      const [status, error] = errorOf(await use('POST', '/responses', HELLO));
      expect([status, error.type, error.code]).toEqual([429, type, type]);
      if (limit_reset === null) expect(error).not.toHaveProperty('resets_at');
      else expect(Number(error.resets_at) % SECONDS_A_DAY).toBe(0);
      expect(error.message).toMatch(/^Key limit exceeded/);
    }
  });
});
