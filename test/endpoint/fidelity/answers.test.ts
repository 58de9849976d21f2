/** Answers as hosts of OpenAI's format spell them; sources: docs/providers/openai-compatible.md. */
import { describe, expect, it } from 'vitest';
import { answerIn } from '../../support/chat-answer.js';
import { chunksOf } from '../../support/platforms.js';
import { bodyOf, type Row } from '../../support/rest.js';
import { hostForAll, streamOf, wholeOf } from './spelled-answers.js';

const ask = hostForAll();

describe('the finish reason', () => {
  const tool_calls = [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }];

  it.each(['stop', 'eos', 'end_turn', 'of its own'])(
    '%s beside calls is tool_calls, in one piece and streamed',
    async (reason) => {
      const whole = answerIn(await ask(wholeOf({ content: null, tool_calls }, reason)), false);
      const streamed = answerIn(await ask(streamOf([{ tool_calls }], reason), { stream: true }), true);
      for (const answer of [whole, streamed]) {
        expect(answer).toMatchObject({ finish_reason: 'tool_calls', native_finish_reason: reason });
      }
    },
  );

  it('that is missing beside calls is tool_calls, and stop without any', async () => {
    expect(answerIn(await ask(wholeOf({ content: null, tool_calls }, null)), false).finish_reason).toBe(
      'tool_calls',
    );
    expect(answerIn(await ask(wholeOf({ content: 'Hi' }, null)), false).finish_reason).toBe('stop');
  });

  it('that a stream with [DONE] never names is stop, or tool_calls', async () => {
    const said = answerIn(await ask(streamOf([{ content: 'Hi' }], null), { stream: true }), true);
    expect(said).toMatchObject({
      message: { content: 'Hi' },
      finish_reason: 'stop',
      native_finish_reason: null,
    });
    const called = answerIn(await ask(streamOf([{ tool_calls }], null), { stream: true }), true);
    expect(called).toMatchObject({ message: { tool_calls: [{ id: 'a' }] }, finish_reason: 'tool_calls' });
  });

  it('that a stream with [DONE] never names does not make an answer of nothing', async () => {
    const answer = await ask(streamOf([{ role: 'assistant', content: '' }], null), { stream: true });
    expect(answer.status).toBe(502);
  });

  it.each([
    ['sensitive', 'content_filter'],
    ['model_context_window_exceeded', 'length'],
    ['model_length', 'length'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['null', 'stop'],
  ])('%s is %s', async (native, reason) => {
    expect(answerIn(await ask(wholeOf({ content: 'Hi' }, native)), false).finish_reason).toBe(reason);
  });

  it.each(['network_error', 'insufficient_system_resource', 'abort', 'error'])(
    '%s is a failure',
    async (native) => {
      expect((await ask(wholeOf({ content: 'Hi' }, native))).status).toBe(502);
      expect((await ask(streamOf([], native), { stream: true })).status).toBe(502);
    },
  );

  it('of a host of its own is what the catalogue says', async () => {
    const halted = await ask(wholeOf({ content: 'Hi' }, 'Halted'), { model: 'test/mended' });
    expect(answerIn(halted, false).finish_reason).toBe('content_filter');
    expect((await ask(wholeOf({ content: 'Hi' }, 'broke'), { model: 'test/mended' })).status).toBe(502);
  });
});

describe('the choices of an answer in one piece', () => {
  const contentsOf = async (indexes: readonly unknown[]) => {
    const choices = indexes.map((index, place) => ({
      index,
      message: { content: `${place}` },
      finish_reason: 'stop',
    }));
    const { choices: got } = bodyOf(await ask({ answer: { choices } }, { n: indexes.length }));
    return (got as { index: number; message: { content: string } }[]).map(
      ({ index, message }) => `${index}: ${message.content}`,
    );
  };

  it('are numbered by their index, not by their place', async () => {
    expect(await contentsOf([2, 0, 1])).toEqual(['0: 1', '1: 2', '2: 0']);
  });

  it.each([[[0, 0, 0]], [[1, 2, 3]], [[undefined, undefined, undefined]], [['0', '1', null]]])(
    'are numbered by their place where the indexes are %j',
    async (indexes) => {
      expect(await contentsOf(indexes)).toEqual(['0: 0', '1: 1', '2: 2']);
    },
  );
});

describe('the choice of a stream', () => {
  it('that a host numbers from 1 is the choice 0 where one was asked for', async () => {
    const chunk = (delta: object, finish_reason: string | null) => ({
      choices: [{ index: 1, delta, finish_reason }],
    });
    const plan = { chunks: [chunk({ content: 'Hi' }, null), chunk({}, 'stop')] };
    expect(answerIn(await ask(plan, { stream: true }), true)).toMatchObject({
      index: 0,
      message: { content: 'Hi' },
      finish_reason: 'stop',
    });
    const { text } = await ask(plan, { stream: true, max_tokens: 99 }, '/messages');
    expect(text).toContain('"text":"Hi"');
  });
});

describe('half a character', () => {
  const [first = '', second = ''] = '👋'.split('');

  it('at the end of a delta is held back until its other half comes', async () => {
    const deltas = [
      { reasoning_content: `Hm ${first}` },
      { reasoning_content: `${second}.` },
      { content: `Hi ${first}` },
      { content: '' },
      { content: second },
      { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: `{"x":"${first}` } }] },
      { tool_calls: [{ index: 1, id: 'b', function: { name: 'g', arguments: `{"x":"${first}` } }] },
      { tool_calls: [{ index: 0, function: { arguments: `${second}"}` } }] },
      { tool_calls: [{ index: 1, function: { arguments: `${second}"}` } }] },
    ];
    const answer = await ask(streamOf(deltas), { stream: true });
    for (const chunk of chunksOf(answer).chunks) expect(JSON.stringify(chunk)).not.toMatch(/\\ud[89ab]/i);
    const { message } = answerIn(answer, true);
    expect(message).toMatchObject({ reasoning: 'Hm 👋.', content: 'Hi 👋' });
    expect(message.tool_calls?.map((call) => call.function.arguments)).toEqual(['{"x":"👋"}', '{"x":"👋"}']);
  });

  it('whose other half never comes is U+FFFD, streamed and in one piece', async () => {
    const deltas = [{ content: `a${second}b${first}` }, { content: `c${first}` }];
    expect(answerIn(await ask(streamOf(deltas, 'stop'), { stream: true }), true).message.content).toBe(
      'a\uFFFDb\uFFFDc\uFFFD',
    );
    const refusal = streamOf([{ refusal: `No${first}` }], 'stop');
    expect(
      chunksOf(await ask(refusal, { stream: true }))
        .chunks.map(({ choices }) => choices[0]?.delta.refusal ?? '')
        .join(''),
    ).toBe('No\uFFFD');
    const tool_calls = [{ id: 'a', function: { name: `f${first}`, arguments: `{"x":"${second}"}` } }];
    const { message } = answerIn(await ask(wholeOf({ content: `a${first}`, tool_calls })), false);
    expect(message).toMatchObject({
      content: 'a\uFFFD',
      tool_calls: [{ function: { name: 'f\uFFFD', arguments: '{"x":"\uFFFD"}' } }],
    });
  });

  it('is whole for clients of Messages, too', async () => {
    const deltas = [
      { content: `Hi ${first}` },
      { content: second },
      { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: `{"x":"${first}` } }] },
      { tool_calls: [{ index: 0, function: { arguments: `${second}"}` } }] },
    ];
    const { text } = await ask(streamOf(deltas), { stream: true, max_tokens: 99 }, '/messages');
    expect(text).not.toMatch(/\\ud[89ab]|\uFFFD/i);
    expect(text).toContain('👋');
  });
});

describe('tokens that were read from a cache', () => {
  const usageOf = async (usage: object, model = 'test/host') => {
    const answer = await ask(wholeOf({ content: 'Hi' }, 'stop', { usage }), { model });
    const { prompt_tokens, prompt_tokens_details } = bodyOf(answer).usage as {
      prompt_tokens: number;
      prompt_tokens_details: Row;
    };
    return [prompt_tokens, prompt_tokens_details.cached_tokens, prompt_tokens_details.cache_write_tokens];
  };
  const counts = { prompt_tokens: 10, completion_tokens: 1 };
  const read = { prompt_tokens_details: { cached_tokens: 90 } };

  it('are part of the prompt where a host counts them beside it, so that they never exceed it', async () => {
    expect(await usageOf({ ...counts, ...read })).toEqual([100, 90, 0]);
    expect(await usageOf({ ...counts, cache_read_input_tokens: 90, cache_creation_input_tokens: 5 })).toEqual(
      [105, 90, 5],
    );
  });

  it('are beside the prompt where the total says so, and inside where it does not', async () => {
    const few = { prompt_tokens_details: { cached_tokens: 4 } };
    expect(await usageOf({ ...counts, ...few, total_tokens: 15 })).toEqual([14, 4, 0]);
    expect(await usageOf({ ...counts, ...few, total_tokens: 11 })).toEqual([10, 4, 0]);
    expect(await usageOf({ ...counts, ...few })).toEqual([10, 4, 0]);
  });

  it('and written to it exceed the prompt together where only the latter are beside it', async () => {
    const mixed = { cache_read_input_tokens: 9, cache_creation_input_tokens: 5 };
    expect(await usageOf({ ...counts, ...mixed })).toEqual([15, 9, 5]);
  });

  it('are where the catalogue says that they are', async () => {
    const few = { prompt_tokens_details: { cached_tokens: 4 } };
    expect(await usageOf({ ...counts, ...few }, 'test/mended')).toEqual([14, 4, 0]);
  });
});
