import { describe, expect, it } from 'vitest';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { setLimit } from '../../support/limits.js';
import { expectSettled, type MoneyGateway } from '../../support/money.js';
import { receiptOf } from '../../support/receipts.js';
import { type Answer, bodyOf, type Row, recordOf } from '../../support/rest.js';
import {
  eventsIn,
  overShared,
  type ResponsesGateway,
  responseIn,
  startResponses,
} from './responses.fixture.js';

/** Every count that OpenAI charges for at a price of its own. */
const PRICING = {
  prompt: '0.0000031',
  completion: '0.0000157',
  input_cache_read: '0.00000031',
  internal_reasoning: '0.0000163',
  web_search: '0.0101',
  request: '0.000001',
};

const [PROMPT, CACHED, COMPLETION, REASONING] = [1013, 307, 503, 101];

/** The same counts, in the words of each API. */
const USAGE = {
  chat: {
    prompt_tokens: PROMPT,
    prompt_tokens_details: { cached_tokens: CACHED },
    completion_tokens: COMPLETION,
    completion_tokens_details: { reasoning_tokens: REASONING },
    total_tokens: PROMPT + COMPLETION,
  },
  responses: {
    input_tokens: PROMPT,
    input_tokens_details: { cached_tokens: CACHED },
    output_tokens: COMPLETION,
    output_tokens_details: { reasoning_tokens: REASONING },
    total_tokens: PROMPT + COMPLETION,
  },
};

/** In nano-USD, without searches. */
const COST =
  (PROMPT - CACHED) * 3_100 + CACHED * 310 + (COMPLETION - REASONING) * 15_700 + REASONING * 16_300 + 1_000;
const SEARCH = 10_100_000;

type Host = 'chat' | 'responses';
const HOSTS: readonly Host[] = ['chat', 'responses'];

const BODIES: Readonly<Record<string, object>> = {
  '/chat/completions': { messages: [{ role: 'user', content: 'Hello there' }], max_tokens: 1_000 },
  '/messages': { messages: [{ role: 'user', content: 'Hello there' }], max_tokens: 1_000 },
  '/responses': { input: 'Hello there', max_output_tokens: 1_000 },
};

const start = (plan: FakePlan, more: Parameters<typeof startResponses>[1] = {}) =>
  startResponses([plan], { ...more, endpoint: { pricing: PRICING, ...more.endpoint } });

async function recordFor({ manage }: ResponsesGateway, { headers }: Answer): Promise<Row> {
  return recordOf(await manage('GET', `/generation?id=${headers['x-generation-id']}`));
}

/** What was charged, or over a key of the account would have been, in nano-USD. */
const chargeIn = ({ usage, upstream_inference_cost }: Row) =>
  Math.round(Number(upstream_inference_cost ?? usage) * 1e9);

describe('the cost of a response', () => {
  it.each(HOSTS)('is that of the same chat and message at a host of %s, to the nano-USD', async (host) => {
    const gateway = await start({ usage: USAGE[host] });
    for (const capacity of ['own', 'shared']) {
      if (capacity === 'shared') await overShared(gateway);
      for (const [path, body] of Object.entries(BODIES)) {
        for (const stream of [false, true]) {
          const answer = await gateway.use('POST', path, { model: `test/${host}`, ...body, stream });
          const at = [capacity, path, stream];
          expect([...at, answer.status]).toEqual([...at, 200]);
          const record = await recordFor(gateway, answer);
          expect([...at, chargeIn(record), record.counted_by]).toEqual([...at, COST, 'provider']);
          const receipt = await receiptOf(gateway.manage, record.id);
          expect(Math.round(Number(receipt.list_price_usd) * 1e9)).toBe(COST);
          if (path !== '/responses') continue;
          const { usage } = responseIn(answer) as { usage: Row };
          const { cost_details, ...counts } = usage;
          expect(counts).toMatchObject({
            ...USAGE.responses,
            is_byok: capacity === 'own',
            cost: capacity === 'own' ? 0 : COST / 1e9,
          });
          if (capacity === 'own') expect(cost_details).toMatchObject({ upstream_inference_cost: COST / 1e9 });
        }
      }
    }
    await expectSettled(gateway);
  });

  it.each(HOSTS)('is an estimate where a host of %s sends no counts, the same as of a chat', async (host) => {
    const none = { prompt_tokens: null, completion_tokens: null, input_tokens: null, output_tokens: null };
    const gateway = await start({ usage: none });
    const costs = new Set<number>();
    for (const [path, body] of Object.entries(BODIES)) {
      for (const stream of [false, true]) {
        const answer = await gateway.use('POST', path, { model: `test/${host}`, ...body, stream });
        const record = await recordFor(gateway, answer);
        expect(record.counted_by).toBe('estimate');
        costs.add(chargeIn(record));
      }
    }
    expect([costs.size, [...costs].every((cost) => cost > 1_000)]).toEqual([1, true]);
  });
});

/** The last events of streams in which the host's counts come. */
const ENDS = ['completed', 'incomplete', 'failed'] as const;

// 6Kmfi6HP/opencode2api#11, farion1231/cc-switch#3514, BigPizzaV3/CodexPlusPlus#1908, smallmain/vscode-unify-chat-provider#277
describe('the usage of a native answer', () => {
  const COUNTS = {
    ...{ input_tokens: PROMPT, input_tokens_details: { cached_tokens: 0 } },
    ...{ output_tokens: COMPLETION, output_tokens_details: { reasoning_tokens: 0 } },
    total_tokens: PROMPT + COMPLETION,
  };

  it.each<[string, object]>([
    ['no details', { ...COUNTS, input_tokens_details: undefined, output_tokens_details: undefined }],
    ['no total', { ...COUNTS, total_tokens: undefined }],
    ['null for its details', { ...COUNTS, input_tokens_details: null, output_tokens_details: null }],
    [
      'details without counts',
      { ...COUNTS, input_tokens_details: { text_tokens: 7 }, output_tokens_details: {} },
    ],
    ['a total that is no count', { ...COUNTS, total_tokens: '1516' }],
  ])('has every count where its host sends %s', async (_, usage) => {
    const { ask } = await start({ usage });
    for (const stream of [false, true]) {
      const response = responseIn(await ask({ model: 'test/responses', input: 'Hello there', stream }));
      expect(response.usage).toMatchObject({ ...COUNTS, cost: expect.any(Number) });
    }
  });

  it('keeps what its host counts beside', async () => {
    const { ask } = await start({
      usage: { ...COUNTS, input_tokens_details: { text_tokens: 7 }, seconds: 2 },
    });
    const { usage } = responseIn(await ask({ model: 'test/responses', input: 'Hello there' }));
    expect(usage).toMatchObject({ seconds: 2, input_tokens_details: { text_tokens: 7, cached_tokens: 0 } });
  });
});

describe('a native stream', () => {
  it.each(ENDS)('is metered by the counts of response.%s', async (end) => {
    const error = { code: 'server_error', message: 'Broken' };
    const reason = { incomplete_details: { reason: 'max_output_tokens' } };
    const response = {
      ...{ id: 'resp_1', object: 'response', status: end, model: 'responses', output: [] },
      ...(end === 'failed' && { error }),
      ...(end === 'incomplete' && reason),
      usage: USAGE.responses,
    };
    const chunks = [
      { type: 'response.created', sequence_number: 0, response: { ...response, status: 'in_progress' } },
      {
        ...{ type: 'response.output_text.delta', sequence_number: 1, item_id: 'msg_1' },
        ...{ output_index: 0, content_index: 0, delta: 'Hello' },
      },
      { type: `response.${end}`, sequence_number: 2, response },
    ];
    const gateway = await start({ chunks });
    await overShared(gateway);
    const answer = await gateway.ask({ model: 'test/responses', input: 'Hi', stream: true });
    expect(eventsIn(answer).at(-1)?.type).toBe(`response.${end}`);
    expect(responseIn(answer).usage).toMatchObject({ ...USAGE.responses, cost: COST / 1e9 });
    const record = await recordFor(gateway, answer);
    expect([chargeIn(record), record.counted_by]).toEqual([COST, 'provider']);
    await expectSettled(gateway);
  });

  it('that is cut is charged for what came, and the failed response says what', async () => {
    const words = Array.from({ length: 200 }, () => ' word');
    const gateway = await start({ words, cutAfterBytes: 6_000 });
    await overShared(gateway);
    const answer = await gateway.ask({ model: 'test/responses', input: 'Hi', stream: true });
    const record = await recordFor(gateway, answer);
    expect(record).toMatchObject({ finish_reason: 'error', counted_by: 'estimate' });
    expect(Number(record.tokens_completion)).toBeGreaterThan(5);
    expect(responseIn(answer)).toMatchObject({ status: 'failed', usage: { cost: record.usage } });
    await expectSettled(gateway);
  });
});

const SEARCHED = {
  ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'responses', usage: USAGE.responses },
  output: [
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'a' } },
    { type: 'web_search_call', id: 'ws_2', status: 'completed', action: { type: 'open_page', url: 'b' } },
    { type: 'web_search_call', id: 'ws_3', status: 'completed' },
    {
      ...{ type: 'message', id: 'msg_1', status: 'completed', role: 'assistant' },
      content: [{ type: 'output_text', text: 'Found', annotations: [], logprobs: [] }],
    },
  ],
};
const SEARCHING = { model: 'test/responses', input: 'Look it up', tools: [{ type: 'web_search' }] };

describe('tools that the host runs', () => {
  it.each([false, true])('are priced by use where the price is known (streamed: %s)', async (stream) => {
    const gateway = await start({ answer: SEARCHED, isWhole: true } as FakePlan);
    const answer = await gateway.ask({ ...SEARCHING, stream });
    const record = await recordFor(gateway, answer);
    expect(chargeIn(record)).toBe(COST + 2 * SEARCH);
    const { lines } = await receiptOf(gateway.manage, record.id);
    expect(lines).toContainEqual(expect.objectContaining({ kind: 'web_search', quantity: 2 }));
  });

  it('are bounded by max_tool_calls over shared capacity, left out without, and refused where one is forced', async () => {
    const gateway = await start({ answer: SEARCHED } as FakePlan);
    await overShared(gateway);
    const bounded = await gateway.ask({ ...SEARCHING, max_tool_calls: 3 });
    expect([bounded.status, gateway.sent().tools]).toEqual([200, SEARCHING.tools]);
    expect(chargeIn(await recordFor(gateway, bounded))).toBe(COST + 2 * SEARCH);
    const unbounded = await gateway.ask(SEARCHING);
    expect([unbounded.status, gateway.sent().tools]).toEqual([200, undefined]);
    expect((await recordFor(gateway, unbounded)).omitted).toEqual(['tools.web_search']);
    const { length } = gateway.host.requests;
    const forced = await gateway.ask({ ...SEARCHING, tool_choice: { type: 'web_search' } });
    expect(forced.status).toBe(400);
    expect(bodyOf(forced).error).toMatchObject({
      ...{ type: 'invalid_request_error', param: 'tools[0]' },
      message: expect.stringContaining('max_tool_calls'),
    });
    expect(gateway.host.requests).toHaveLength(length);
    await expectSettled(gateway);
  });
});

describe('limits', () => {
  const limited = (gateway: ResponsesGateway, limit: number) =>
    setLimit(gateway as unknown as MoneyGateway, { limit, include_byok_in_limit: true });
  const left = ({ headers }: Answer) => Number(headers['x-byway-remaining-usd']);

  it.each(HOSTS)('are told after the settlement, on a stream with the reservation: %s', async (host) => {
    const gateway = await start({ usage: USAGE[host] });
    await limited(gateway, 1);
    const request = { model: `test/${host}`, input: 'Hi', max_output_tokens: 1_000 };
    expect(left(await gateway.ask(request))).toBeCloseTo(1 - COST / 1e9, 9);
    expect(left(await gateway.ask({ ...request, stream: true }))).toBeLessThan(1 - COST / 1e9 - 0.0157);
    expect(left(await gateway.ask(request))).toBeCloseTo(1 - (3 * COST) / 1e9, 9);
    await limited(gateway, COST / 1e9);
    const refused = await gateway.ask(request);
    expect([refused.status, left(refused)]).toEqual([429, 0]);
    await expectSettled(gateway);
  });

  it.each(HOSTS)('that are only reserved are 429 with Retry-After: %s', async (host) => {
    const gateway = await start(
      { usage: USAGE[host], delayMs: 500 },
      { env: { BYWAY_RESERVATION_WAIT_MS: '0' } },
    );
    await limited(gateway, 0.01);
    const request = { model: `test/${host}`, input: 'Hi', max_output_tokens: 1_000 };
    const answers = await Promise.all(
      [false, true, false].map((stream) => gateway.ask({ ...request, stream })),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(2);
    for (const answer of refused) {
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect([answer.status, bodyOf(answer).error]).toMatchObject([
        429,
        { type: 'rate_limit_error', code: 'rate_limit_exceeded', metadata: { reason: 'limit_reserved' } },
      ]);
    }
    await expectSettled(gateway);
  });

  it('of credits are a quota', async () => {
    const gateway = await start({}, { credits: 0n });
    await overShared(gateway);
    for (const host of HOSTS) {
      for (const stream of [false, true]) {
        const refused = await gateway.ask({ model: `test/${host}`, input: 'Hi', stream });
        expect([refused.status, bodyOf(refused).error]).toMatchObject([
          429,
          { type: 'insufficient_quota', metadata: { reason: 'insufficient_credits' } },
        ]);
      }
    }
    expect(gateway.host.requests).toEqual([]);
  });
});
