import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/formats/chat/types.js';
import { MAX_BLOCKS, MAX_CALLS } from '../../../../src/providers/common/answer-bounds.js';
import { AnswerCallIds } from '../../../../src/providers/common/answer-call-ids.js';
import { readResponse } from '../../../../src/providers/openai/responses/answer.js';
import { call, message, response, says, search, text, USAGE, use } from './response.fixture.js';
import { assembled, readStream, STYLES, streamOf } from './stream.fixture.js';

const TOKEN = { token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [{ token: 'Ho', logprob: -1 }] };
describe('a response, in terms of a chat', () => {
  it('has no content where it only calls or refuses', () => {
    const contentOf = (...output: JsonObject[]) => readResponse(response(output)).choices[0]?.message.content;
    expect(contentOf(use('c1', '{}'))).toBeNull();
    expect(contentOf(message({ type: 'refusal', refusal: 'No' }))).toBeNull();
    expect(contentOf()).toBe('');
  });

  it('says why it ended', () => {
    const endOf = (output: readonly JsonObject[], more: JsonObject) => {
      const [choice] = readResponse(response(output, more)).choices;
      const finish = readStream(streamOf(response(output, more))).at(-1);
      expect(finish).toEqual({
        type: 'finish',
        index: 0,
        reason: choice?.finish_reason,
        nativeReason: choice?.native_finish_reason,
      });
      return [choice?.finish_reason, choice?.native_finish_reason];
    };
    const cut = (reason: string | undefined) => ({
      status: 'incomplete',
      incomplete_details: reason === undefined ? null : { reason },
    });
    expect(endOf([says('Hi')], {})).toEqual(['stop', 'completed']);
    expect(endOf([use('c1', '{}')], {})).toEqual(['tool_calls', 'completed']);
    expect(endOf([says('Hi')], cut('max_output_tokens'))).toEqual(['length', 'max_output_tokens']);
    expect(endOf([use('c1', '{"a')], cut('max_output_tokens'))).toEqual(['length', 'max_output_tokens']);
    expect(endOf([says('Hi')], cut('content_filter'))).toEqual(['content_filter', 'content_filter']);
    expect(endOf([says('Hi')], cut('max_tool_calls'))).toEqual(['length', 'max_tool_calls']);
    expect(endOf([says('Hi')], cut(undefined))).toEqual(['length', 'incomplete']);
  });

  it('has the counts, the searches that are billed, and the tier that served', () => {
    const searches = response([search('ws_1'), search('ws_2', 'open_page'), search('ws_3'), says('Hi')]);
    const usage = {
      promptTokens: 20,
      cachedTokens: 8,
      cacheWriteTokens: 4,
      completionTokens: 12,
      reasoningTokens: 5,
      webSearches: 2,
    };
    expect(readResponse(searches)).toMatchObject({
      usage,
      members: { service_tier: 'default' },
      mode: { service_tier: 'default' },
    });
    const events = readStream(streamOf(searches));
    expect(events).toContainEqual({ type: 'usage', usage });
    expect(events.filter(({ type }) => type === 'mode')).toEqual([
      { type: 'mode', mode: { service_tier: 'default' } },
    ]);
    const counted = response([search('ws_1')], {
      usage: { ...USAGE, server_side_tool_usage_details: { web_search_calls: 3, x_search_calls: 1 } },
    });
    expect(readResponse(counted).usage.webSearches).toBe(4);
  });

  it('has the probabilities of its tokens', () => {
    const likely = response([message(text('Hi', { logprobs: [TOKEN] }))]);
    const logprobs = {
      content: [{ ...TOKEN, top_logprobs: [{ token: 'Ho', logprob: -1, bytes: null }] }],
      refusal: null,
    };
    expect(readResponse(likely).choices[0]?.logprobs).toEqual(logprobs);
    for (const style of STYLES) {
      const told = readStream(streamOf(likely, style)).flatMap((event) =>
        event.type === 'delta' && event.logprobs !== undefined ? [event.logprobs] : [],
      );
      expect(told).toEqual([logprobs]);
    }
  });

  it('has calls whose ids are those of no other call', () => {
    const ids = () =>
      new AnswerCallIds([{ role: 'assistant', tool_calls: [{ id: 'c1' }] }], { hex: () => 'fresh' });
    const output = [says('Hi'), use('c1', '{}'), says('There')];
    const { message } = readResponse(response(output), ids()).choices[0] ?? {};
    expect(message).toMatchObject({
      tool_calls: [{ id: 'call_fresh' }],
      provider_blocks: { blocks: [{}, { type: 'function_call', call_id: 'call_fresh' }, {}] },
    });
    expect(assembled(readStream(streamOf(response(output)), ids()))).toMatchObject({
      tool_calls: [{ id: 'call_fresh' }],
      provider_blocks: { blocks: [{}, { call_id: 'call_fresh' }, {}] },
    });
  });

  it('that has not ended is no answer', () => {
    for (const status of ['queued', 'in_progress', 'cancelled']) {
      expect(() => readResponse(response([says('Hi')], { status }))).toThrow(
        expect.objectContaining({ error: 'truncated' }),
      );
    }
    expect(() => readResponse({ object: 'response', status: 'completed' })).toThrow(
      expect.objectContaining({ error: 'malformed' }),
    );
  });

  it('has no more items and calls than an answer may have', () => {
    const many = (count: number, item: JsonObject) => response(Array.from({ length: count }, () => item));
    for (const one of [many(MAX_BLOCKS + 1, says('')), many(MAX_CALLS + 1, use('', '{}'))]) {
      expect(() => readResponse(one)).toThrow(expect.objectContaining({ error: 'malformed' }));
      expect(() => readStream(streamOf(one))).toThrow(expect.objectContaining({ error: 'malformed' }));
    }
  });
});

describe('a stream of a response, in terms of a chat', () => {
  const added = (output_index: number, item: JsonObject) => ({
    type: 'response.output_item.added',
    output_index,
    item,
  });
  const done = (output_index: number, item: JsonObject) => ({
    type: 'response.output_item.done',
    output_index,
    item,
  });
  const end = (output: readonly JsonObject[]) => ({ type: 'response.completed', response: response(output) });

  it('has calls that come at the same time, each whole', () => {
    const args = (output_index: number, delta: string) => ({
      type: 'response.function_call_arguments.delta',
      output_index,
      delta,
    });
    const [one, two] = [use('c1', '{"a":1}'), use('c2', '{"b":2}')];
    const events = [
      added(0, { ...one, arguments: '' }),
      added(1, { ...two, arguments: '' }),
      args(1, '{"b'),
      args(0, '{"a"'),
      args(1, '":2}'),
      args(0, ':1}'),
      done(1, two),
      done(0, one),
      end([one, two]),
    ];
    expect(assembled(readStream(events)).tool_calls).toEqual([call('c1', '{"a":1}'), call('c2', '{"b":2}')]);
  });

  it('has every item of a host that gives all the same number', () => {
    const items = [says('Hi'), use('c1', '{}')];
    const events = [...items.flatMap((item) => [added(0, item), done(0, item)]), end(items)];
    expect(assembled(readStream(events))).toMatchObject({ content: 'Hi', tool_calls: [call('c1', '{}')] });
  });

  it('has the texts of a host that does not say which item begins', () => {
    const events = [
      { type: 'response.reasoning.delta', item_id: 'rs_1', content_index: 0, delta: 'Hm' },
      { type: 'response.output_text.delta', item_id: 'msg_1', content_index: 0, delta: 'Hi' },
      { type: 'response.completed', response: response([]) },
    ];
    expect(assembled(readStream(events))).toMatchObject({ content: 'Hi', reasoning: 'Hm' });
  });

  it('tells the counts of a response that failed, and no end', () => {
    const failed = { type: 'response.failed', response: response([], { status: 'failed' }) };
    const types = readStream([failed]).map(({ type }) => type);
    expect(types).toContain('usage');
    expect(types).not.toContain('finish');
  });

  it('passes over events that nobody knows', () => {
    const strange = [
      { type: 'keepalive' },
      { type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws_1' },
      { type: 'response.brand_new', delta: 'x' },
    ];
    expect(readStream(strange)).toEqual([]);
  });
});
