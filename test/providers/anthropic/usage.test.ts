import { describe, expect, it } from 'vitest';
import { UsageCounter } from '../../../src/providers/anthropic/chat/usage.js';
import { chatRequest } from '../../support/chat.js';
import { anthropicBench, startTable } from './adapter.fixture.js';

function counted(...reports: readonly unknown[]) {
  const counter = new UsageCounter();
  for (const report of reports) counter.take(report);
  return counter.usage;
}

describe('usage (prompt_tokens include cached tokens and cache writes)', () => {
  it('adds up the prompt, and keeps 5-minute and 1-hour writes apart', () => {
    expect(
      counted({
        input_tokens: 10,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 1000,
        cache_creation: { ephemeral_5m_input_tokens: 600, ephemeral_1h_input_tokens: 400 },
        output_tokens: 7,
        output_tokens_details: { thinking_tokens: 5 },
        server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
      }),
    ).toEqual({
      promptTokens: 1110,
      cachedTokens: 100,
      cacheWriteTokens: 1000,
      cacheWrite1hTokens: 400,
      completionTokens: 7,
      reasoningTokens: 5,
      webSearches: 2,
    });
  });

  it.each([
    [{}, {}],
    [null, {}],
    [
      { input_tokens: 0, output_tokens: 0 },
      { promptTokens: 0, completionTokens: 0 },
    ],
    [
      { input_tokens: 3, cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 } },
      { promptTokens: 12, cacheWriteTokens: 9, cacheWrite1hTokens: 5 },
    ],
    [{ input_tokens: 3, cache_read_input_tokens: null, server_tool_use: null }, { promptTokens: 3 }],
    [{ output_tokens: '7', cache_read_input_tokens: 4 }, { cachedTokens: 4 }],
  ])('of %j is %j: what is not reported is missing, which is not 0', (report, usage) => {
    expect(counted(report)).toEqual(usage);
  });

  it('has what compactions and advisors took, which the counts of the whole have not; other samplings are in these', () => {
    const whole = { input_tokens: 23, cache_read_input_tokens: 5, output_tokens: 10 };
    const compaction = {
      type: 'compaction',
      ...{ input_tokens: 1_800, cache_read_input_tokens: 100, cache_creation_input_tokens: 40 },
      ...{
        cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 10 },
        output_tokens: 35,
      },
    };
    const advisor = { type: 'advisor_message', model: 'claude-opus-5', input_tokens: 200, output_tokens: 7 };
    const others = [
      { type: 'message', ...whole },
      { type: 'fallback_message', input_tokens: 9, output_tokens: 9 },
      { type: 'new', input_tokens: 9 },
      null,
    ];
    const iterations = [compaction, others[0], advisor, ...others];
    const usage = {
      ...{ promptTokens: 28 + 1_940 + 200, cachedTokens: 105, cacheWriteTokens: 40, cacheWrite1hTokens: 10 },
      completionTokens: 10 + 35 + 7,
    };
    expect(counted({ ...whole, iterations })).toEqual(usage);
    expect(counted(whole, { output_tokens: 10, iterations })).toEqual(usage);
    expect(counted({ ...whole, iterations: others })).toEqual(counted(whole));
    expect(counted({ input_tokens: 1, iterations: [compaction] }).completionTokens).toBeUndefined();
    expect(() => counted({ iterations: Array.from({ length: 1_001 }, () => compaction) })).toThrow();
  });

  it('is a snapshot that later ones replace, except where they are null', () => {
    expect(
      counted(
        {
          input_tokens: 10,
          cache_read_input_tokens: 5,
          cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 2 },
          output_tokens: 1,
        },
        { input_tokens: null, cache_read_input_tokens: null, cache_creation: null, output_tokens: 20 },
        { output_tokens: 30, output_tokens_details: { thinking_tokens: 8 }, server_tool_use: null },
      ),
    ).toEqual({
      promptTokens: 18,
      cachedTokens: 5,
      cacheWriteTokens: 3,
      cacheWrite1hTokens: 2,
      completionTokens: 30,
      reasoningTokens: 8,
    });
  });

  it('is the same in one piece and streamed', async () => {
    const usage = {
      input_tokens: 4,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 6,
      cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 4 },
      output_tokens_details: { thinking_tokens: 1 },
      server_tool_use: { web_search_requests: 3, web_fetch_requests: 0 },
    };
    const { complete, stream } = await startTable({ usage });
    const whole = await complete();
    expect(whole.usage).toMatchObject({ promptTokens: 15, cacheWrite1hTokens: 4, webSearches: 3 });
    expect((await stream()).events.findLast(({ type }) => type === 'usage')).toEqual({
      type: 'usage',
      usage: whole.usage,
    });
  });

  it('of a stream that broke off has the input as it was counted, and the output as it came', async () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index} `);
    const usage = { input_tokens: 1000, cache_read_input_tokens: 234 };
    const { table } = await anthropicBench({ m: { words, usage, stallAfter: 40, isLeftOpen: true } }, ['m']);
    const client = new AbortController();
    const chunks = table.chat.stream(chatRequest({}, client.signal));
    let taken = 0;
    for await (const _ of chunks) if (++taken === 30) break;
    const [generation] = table.generations;
    expect(generation).toMatchObject({ promptTokens: 1234, status: 'cancelled' });
    expect(generation?.completionTokens).toBeGreaterThan(30);
  });
});
