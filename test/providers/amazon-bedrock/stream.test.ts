import { describe, expect, it } from 'vitest';
import { event } from '../../support/fakes/fake-bedrock/answer.js';
import type { FakePlan } from '../../support/fakes/fake-bedrock/plan.js';
import { deltasOf, startTable, textIn } from './adapter.fixture.js';

const delta = (contentBlockIndex: number, added: object) =>
  event('contentBlockDelta', { contentBlockIndex, delta: added });
const stop = (stopReason: string) => event('messageStop', { stopReason });
const start = event('messageStart', { role: 'assistant' });
const toolStart = (contentBlockIndex: number, toolUse: object) =>
  event('contentBlockStart', { contentBlockIndex, start: { toolUse } });

describe('a streamed answer', () => {
  it('has its text, its finish and its usage, in that order', async () => {
    const { stream } = await startTable();
    const { events, thrown } = await stream();
    expect(thrown).toBeUndefined();
    expect(events).toEqual([
      ...['Grüezi', ' mitenand', ' 👋🏽', '!'].map((content) => ({
        type: 'delta',
        index: 0,
        delta: { content },
      })),
      { type: 'finish', index: 0, reason: 'stop', nativeReason: 'end_turn' },
      { type: 'usage', usage: { promptTokens: 2, completionTokens: 4 } },
    ]);
  });

  it.each([1, 2, 7, 33])('is the same in pieces of %i bytes', async (splitBytes) => {
    const whole = await (await startTable({ reasoning: ['Hm'] })).stream();
    const { stream } = await startTable({ reasoning: ['Hm'], splitBytes });
    expect(await stream()).toEqual(whole);
  });

  it('calls tools side by side, the ids and names once', async () => {
    const { stream } = await startTable({
      frames: [
        start,
        delta(0, { text: 'Let me see' }),
        event('contentBlockStop', { contentBlockIndex: 0 }),
        toolStart(1, { toolUseId: 'a', name: 'one' }),
        delta(1, { toolUse: { input: '' } }),
        delta(1, { toolUse: { input: '{"x":' } }),
        toolStart(2, { toolUseId: 'b', name: 'two' }),
        delta(1, { toolUse: { input: '1}' } }),
        event('contentBlockStop', { contentBlockIndex: 2 }),
        event('contentBlockStop', { contentBlockIndex: 1 }),
        toolStart(3, { toolUseId: 'c', name: 'three' }),
        toolStart(4, { toolUseId: 's', name: 'search', type: 'server_tool_use' }),
        delta(4, { toolUse: { input: '{}' } }),
        stop('tool_use'),
      ],
    });
    const { events } = await stream();
    const calls = deltasOf(events).flatMap(({ tool_calls }) => tool_calls ?? []);
    expect(calls).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '' } },
      { index: 0, function: { arguments: '{"x":' } },
      { index: 1, id: 'b', type: 'function', function: { name: 'two', arguments: '' } },
      { index: 0, function: { arguments: '1}' } },
      { index: 1, function: { arguments: '{}' } },
      { index: 2, id: 'c', type: 'function', function: { name: 'three', arguments: '' } },
      { index: 2, function: { arguments: '{}' } },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool_calls' });
  });

  it('keeps thoughts apart by their block, with what has to come back of them', async () => {
    const thought = (block: number, reasoningContent: object) => delta(block, { reasoningContent });
    const frames = [
      start,
      thought(0, { text: 'Hm' }),
      thought(0, { text: ' well' }),
      thought(0, { signature: 'sig' }),
      thought(1, { redactedContent: 'c2VjcmV0' }),
      delta(2, { text: 'Yes' }),
      stop('end_turn'),
    ];
    const format = 'anthropic-claude-v1';
    const { stream, fake } = await startTable({ frames });
    fake.plan('openai.gpt-oss-120b-1:0', { frames });
    const { events } = await stream();
    expect(deltasOf(events)).toEqual([
      { reasoning: 'Hm', reasoning_details: [{ type: 'reasoning.text', text: 'Hm', format, index: 0 }] },
      {
        reasoning: ' well',
        reasoning_details: [{ type: 'reasoning.text', text: ' well', format, index: 0 }],
      },
      { reasoning_details: [{ type: 'reasoning.text', signature: 'sig', format, index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'c2VjcmV0', format, index: 1 }] },
      { content: 'Yes' },
    ]);
    const others = await stream({ model: 'openai.gpt-oss-120b-1:0' });
    expect(deltasOf(others.events)).toEqual([
      { reasoning: 'Hm' },
      { reasoning: ' well' },
      { content: 'Yes' },
    ]);
  });

  it('ignores unknown events', async () => {
    const { stream } = await startTable({
      frames: [
        event('initial-response', {}),
        start,
        event('somethingNew', { a: 1 }),
        delta(0, { somethingElse: { title: 'T' } }),
        delta(0, { text: 'Yes' }),
        stop('a_new_reason'),
      ],
    });
    const { events, thrown } = await stream();
    expect(thrown).toBeUndefined();
    expect(events).toEqual([
      { type: 'delta', index: 0, delta: { content: 'Yes' } },
      { type: 'finish', index: 0, reason: 'stop', nativeReason: 'a_new_reason' },
    ]);
  });
});

describe('why an answer ends', () => {
  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    // Without a call that its results could follow.
    ['tool_use', 'stop'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
  ])('%s is %s', async (stopReason, reason) => {
    const { complete, stream } = await startTable({ stopReason });
    const { choices } = await complete();
    expect(choices[0]).toMatchObject({ finish_reason: reason, native_finish_reason: stopReason });
    const { events } = await stream();
    expect(events).toContainEqual({ type: 'finish', index: 0, reason, nativeReason: stopReason });
  });

  it.each(['malformed_model_output', 'malformed_tool_use'])('%s is a failure', async (stopReason) => {
    const { complete, stream } = await startTable({ stopReason });
    const failure = { kind: 'upstream_error', error: 'malformed' };
    await expect(complete()).rejects.toMatchObject(failure);
    const { events, thrown } = await stream();
    expect(textIn(events)).not.toBe('');
    expect(thrown).toMatchObject(failure);
  });
});

describe('usage (the prompt includes what is cached, missing is not 0)', () => {
  it.each<[string, object | undefined, object]>([
    [
      'plain',
      { inputTokens: 10, outputTokens: 20, totalTokens: 30 },
      { promptTokens: 10, completionTokens: 20 },
    ],
    [
      'with a cache',
      {
        inputTokens: 10,
        outputTokens: 20,
        totalTokens: 37,
        cacheReadInputTokens: 4,
        cacheWriteInputTokens: 3,
        cacheDetails: [
          { ttl: '1h', inputTokens: 1 },
          { ttl: '5m', inputTokens: 2 },
        ],
      },
      { promptTokens: 17, cachedTokens: 4, cacheWriteTokens: 3, cacheWrite1hTokens: 1, completionTokens: 20 },
    ],
    [
      'of zeros',
      { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0 },
      { promptTokens: 0, cachedTokens: 0, completionTokens: 0 },
    ],
    ['of nothing', {}, {}],
    ['that is no number', { inputTokens: '7', outputTokens: null }, {}],
  ])('%s', async (_, usage, counts) => {
    const plan: FakePlan = usage === undefined ? {} : { usage };
    const { complete, stream } = await startTable(plan);
    expect((await complete()).usage).toEqual(counts);
    expect((await stream()).events.at(-1)).toEqual({ type: 'usage', usage: counts });
  });

  it('stays when later metadata have none', async () => {
    const { stream } = await startTable({
      frames: [
        start,
        delta(0, { text: 'x' }),
        stop('end_turn'),
        event('metadata', { usage: { inputTokens: 1, outputTokens: 1 } }),
        event('metadata', { metrics: { latencyMs: 1 } }),
      ],
    });
    expect((await stream()).events.filter(({ type }) => type === 'usage')).toHaveLength(1);
  });
});

describe('an answer in one piece', () => {
  const WEB = { location: { web: { url: 'https://a.example' } } };

  it('has its text in one, citations and all, and no calls but the caller’s', async () => {
    const content = [
      { text: 'One' },
      { citationsContent: { content: [{ text: ' two' }], citations: [{ title: 'T' }, WEB] } },
      { toolUse: { toolUseId: 's', name: 'search', input: {}, type: 'server_tool_use' } },
    ];
    const answer = { output: { message: { role: 'assistant', content } }, stopReason: 'end_turn', usage: {} };
    const { complete } = await startTable({ answer });
    const { choices } = await complete();
    expect(choices[0]?.message).toEqual({
      role: 'assistant',
      content: 'One two',
      refusal: null,
      annotations: [
        { type: 'file_citation', file_citation: { title: 'T' } },
        {
          type: 'url_citation',
          url_citation: { url: 'https://a.example', title: '', start_index: 0, end_index: 0 },
        },
      ],
    });
  });

  it.each([[[]], ['<html>'], [{}], [{ output: {} }], [{ output: { message: { content: 'x' } } }]])(
    '%j is none',
    async (answer) => {
      const { complete } = await startTable({ answer });
      await expect(complete()).rejects.toMatchObject({ kind: 'upstream_error', error: 'malformed' });
    },
  );
});
