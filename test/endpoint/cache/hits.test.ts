import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import { ChatService } from '../../../gen/byway/v1/chat_pb.js';
import { answerIn } from '../../support/chat-answer.js';
import { keyRecord, startMoneyGateway } from '../../support/money.js';
import { CASES, generation, MODES, startProviders } from '../../support/providers.js';
import { type Answer, bodyOf, recordOf, rowsOf, send } from '../../support/rest.js';
import { CACHE, cacheOf, cacheOfEach } from './cached.js';

describe('a request that comes again', () => {
  it.each(CASES)('is answered by no attempt and for nothing over $capacity, $mode', async (testCase) => {
    const gateway = await startProviders(testCase.capacity);
    const first = await gateway.ask(testCase.mode, CACHE);
    const spent = await keyRecord(gateway);
    const again = await gateway.ask(testCase.mode, CACHE);
    expect([cacheOf(first), cacheOf(again), gateway.alpha.requests.length]).toEqual(['miss', 'hit', 1]);
    expect(first.usage).not.toHaveProperty('cached');
    expect(again).toMatchObject({
      ...{ status: 200, content: first.content, finishReason: 'stop', isDone: true },
      ...{ model: first.model, provider: first.provider },
      usage: {
        ...first.usage,
        ...{ cost: 0, is_byok: false, cached: true },
        cost_details: {
          upstream_inference_cost: null,
          upstream_inference_prompt_cost: 0,
          upstream_inference_completions_cost: 0,
        },
      },
    });
    expect(again.id).not.toBe(first.id);
    expect(await generation(gateway, first)).toMatchObject({ cached: false, provider: 'alpha' });
    expect(await generation(gateway, again)).toMatchObject({
      ...{ cached: true, provider: null, provider_name: null, provider_responses: [], is_byok: false },
      ...{ model: 'test/m', status: 'ok', finish_reason: 'stop', counted_by: null },
      ...{ tokens_prompt: 0, tokens_completion: 0, usage: 0, upstream_inference_cost: null },
      streamed: testCase.mode === 'streamed',
    });
    expect(await keyRecord(gateway)).toEqual(spent);
  });

  it('has a receipt of nothing, and counts in the requests of activity, not in its tokens', async () => {
    const gateway = await startMoneyGateway();
    const answers = [await gateway.chat('test/tokens', CACHE), await gateway.chat('test/tokens', CACHE)];
    expect(answers.map(cacheOf)).toEqual(['miss', 'hit']);
    const [first, again] = answers.map(({ headers }) => String(headers['x-generation-id']));
    const { tokens_completion: tokens } = recordOf(await gateway.use('GET', `/generation?id=${first}`));
    const receipt = recordOf(await gateway.use('GET', `/generation/receipt?id=${again}`));
    expect(receipt).toMatchObject({ provider: null, lines: [], ledger_entries: [] });
    const rows = rowsOf(await gateway.manage('GET', '/activity'));
    const sum = (member: string) => rows.reduce((all, row) => all + Number(row[member]), 0);
    expect([sum('requests'), sum('completion_tokens')]).toEqual([2, tokens]);
  });

  it('is counted in the metrics', async () => {
    const gateway = await startMoneyGateway();
    await cacheOfEach(...Array.from({ length: 3 }, () => () => gateway.chat('test/free', CACHE)));
    await gateway.chat('test/free');
    const headers = { authorization: `Bearer ${gateway.operatorKey}` };
    const { text } = await send(`${gateway.url}/metrics`, 'GET', { headers });
    expect(text).toContain('byway_answer_cache_lookups_total{outcome="hit"} 2');
    expect(text).toContain('byway_answer_cache_lookups_total{outcome="miss"} 1');
    expect(text).toContain('byway_chats_total{outcome="cached"} 2');
  });

  it('is found over REST and RPC alike, where metadata says so', async () => {
    const gateway = await startMoneyGateway();
    expect(cacheOf(await gateway.chat('test/paid', { ...CACHE, temperature: 0.5 }))).toBe('miss');
    const client = createClient(
      ChatService,
      createConnectTransport({ baseUrl: gateway.url, httpVersion: '1.1' }),
    );
    const told: (string | null)[] = [];
    const options = {
      headers: { authorization: `Bearer ${gateway.apiKey}` },
      onHeader: (headers: Headers) => void told.push(headers.get('x-byway-cache')),
    };
    const messages = [{ role: 'user', content: { form: { case: 'text' as const, value: 'Hello there' } } }];
    const asked = { model: 'test/paid', messages, temperature: 0.5 };
    const { usage } = await client.createChatCompletion({ chat: { ...asked, cache: { ttl: 60 } } }, options);
    expect(usage).toMatchObject({ cost: 0, cached: true });
    for await (const _chunk of client.streamChatCompletion(
      { chat: { ...asked, cache: { ttl: 60 } } },
      options,
    ));
    await client.createChatCompletion({ chat: { ...asked, cache: {} } }, options);
    expect(told).toEqual(['hit', 'hit', null]);
  });
});

/** Answers with all that a chat may have, by the plan of the host and the request. */
const TOOLS = ['weather', 'time'].map((name) => ({ type: 'function', function: { name, parameters: {} } }));
const ANSWERS: readonly [name: string, plan: object, more: object][] = [
  ['a text', {}, {}],
  ['thoughts before it', { reasoning: ['Let me ', 'see.'] }, {}],
  ['calls of tools', { toolCalls: 2 }, { tools: TOOLS }],
  [
    'text beside calls',
    { words: ['Wait', ' please'], calls: [{ id: 'call_1', name: 'time', input: {} }] },
    { tools: TOOLS },
  ],
  ['an end at its limit', {}, { max_tokens: 2 }],
];

describe('an answer that was kept', () => {
  const said = ({ message, finish_reason, native_finish_reason }: ReturnType<typeof answerIn>) => {
    const { annotations, ...rest } = message;
    return { rest, finish_reason, native_finish_reason };
  };
  it.each(ANSWERS.flatMap(([name, plan, more]) => MODES.map((mode) => ({ name, plan, more, mode }))))(
    'with $name, which came $mode, says the same whole and streamed',
    async ({ plan, more, mode }) => {
      const gateway = await startProviders('shared capacity');
      gateway.alpha.plan('m', plan);
      const ask = (stream: boolean): Promise<Answer> => gateway.chat('test/m', { ...CACHE, ...more, stream });
      const first = await ask(mode === 'streamed');
      const kept = said(answerIn(first, mode === 'streamed'));
      expect(kept.rest).toHaveProperty('role', 'assistant');
      for (const stream of [true, false]) {
        const again = await ask(stream);
        expect([cacheOf(again), said(answerIn(again, stream))]).toEqual(['hit', kept]);
      }
      expect(gateway.alpha.requests).toHaveLength(1);
    },
  );

  it.each(MODES)('with several choices has all of them, %s', async (mode) => {
    const gateway = await startProviders('shared capacity');
    await gateway.ask(mode, { ...CACHE, n: 2 });
    const again = bodyOf(await gateway.chat('test/m', { ...CACHE, n: 2 }));
    expect(again).toMatchObject({
      choices: [0, 1].map((index) => ({ index, finish_reason: 'stop' })),
      usage: { cached: true },
    });
    expect(await cacheOfEach(() => gateway.ask('in one piece', CACHE))).toEqual(['miss']);
  });

  it('says what had been adapted for it', async () => {
    const gateway = await startProviders('shared capacity');
    const more = { ...CACHE, made_up: 1 };
    const [first, again] = [await gateway.ask('in one piece', more), await gateway.ask('streamed', more)];
    expect([cacheOf(again), again.headers['x-byway-adapted']]).toEqual(['hit', 'made_up']);
    const { omitted } = await generation(gateway, first);
    expect(await generation(gateway, again)).toMatchObject({ omitted });
    expect(omitted).toEqual(['made_up']);
  });
});
