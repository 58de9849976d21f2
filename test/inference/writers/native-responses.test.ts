import { describe, expect, it } from 'vitest';
import { JsonText } from '../../../src/base/json/json-text.js';
import { Problem } from '../../../src/base/problem.js';
import type { NativeEvent } from '../../../src/inference/ports/adapter.js';
import { NativeEventWriter } from '../../../src/inference/responses/native-writer.js';
import { USAGE } from '../../formats/messages/answer.fixture.js';
import { judged } from '../../support/responses/event-order.js';

type Value = Readonly<Record<string, unknown>>;

function native(value: Value, text = JSON.stringify(value)): NativeEvent {
  return { type: 'native', event: new JsonText(text, value), normalized: [] };
}

function written(...events: readonly NativeEvent[]) {
  const writer = new NativeEventWriter(() => ({ id: 'resp_gen-1', model: 'asked/for' }));
  const out: JsonText[] = [];
  for (const event of events) writer.write(event, out);
  return { writer, out };
}

const valuesOf = (events: readonly JsonText[]) => events.map(({ value }) => value);

const RESPONSE = {
  ...{ id: 'resp_theirs', object: 'response', created_at: 5, model: 'gpt-5-2026', status: 'in_progress' },
  ...{ output: [], usage: null, error: null, incomplete_details: null, instructions: 'Be kind' },
};

const COSTS = {
  cost: 0.001,
  is_byok: false,
  cost_details: {
    upstream_inference_cost: null,
    upstream_inference_input_cost: 0.0004,
    upstream_inference_output_cost: 0.0006,
  },
};

/** Events as a provider numbers them. */
function numbered(...events: readonly Value[]): NativeEvent[] {
  return events.map((event, sequence_number) => native({ ...event, sequence_number }));
}

const BEGINNING = [
  { type: 'response.created', response: RESPONSE },
  { type: 'response.in_progress', response: RESPONSE },
];

const MESSAGE = { type: 'message', id: 'msg_1', role: 'assistant' };
const PART = { type: 'output_text', text: '', annotations: [], logprobs: [] };
const AT = { item_id: 'msg_1', output_index: 0, content_index: 0 };

const TEXT = [
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { ...MESSAGE, status: 'in_progress', content: [] },
  },
  { type: 'response.content_part.added', ...AT, part: PART },
  { type: 'response.output_text.delta', ...AT, delta: 'Hello ', logprobs: [] },
  { type: 'response.output_text.delta', ...AT, delta: 'you', logprobs: [] },
];

const WHOLE_TEXT = { ...PART, text: 'Hello you' };

describe('the events of a native stream', () => {
  it('pass as the text that they came in', () => {
    const delta = {
      type: 'response.output_text.delta',
      ...AT,
      delta: 'é',
      sequence_number: 4,
      obfuscation: 'x',
    };
    const text = JSON.stringify(delta).replace(',', ', ').replace('é', '\\u00e9');
    const before = numbered(...BEGINNING, ...TEXT.slice(0, 2));
    expect(written(...before, native(delta, text)).out.at(-1)?.text).toBe(text);
  });

  it('that tell the response have the gateway’s id and model, and all else as it came', () => {
    const { out } = written(native({ ...BEGINNING[0], sequence_number: 0 }));
    expect(valuesOf(out)).toEqual([
      {
        type: 'response.created',
        sequence_number: 0,
        response: { ...RESPONSE, id: 'resp_gen-1', model: 'asked/for' },
      },
    ]);
  });

  it.each(['response.completed', 'response.incomplete', 'response.failed'])(
    'wait from %s on, whose usage is told what it costs',
    (type) => {
      const usage = {
        ...{ input_tokens: 3, input_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 } },
        ...{ output_tokens: 4, output_tokens_details: { reasoning_tokens: 3 } },
        ...{ total_tokens: 7, new_counts: {} },
      };
      const final = { type, sequence_number: 9, response: { ...RESPONSE, usage } };
      const after = native({ type: 'response.done', response: RESPONSE });
      const { writer, out } = written(native(final), native({ type: 'keepalive' }), after);
      expect(out).toEqual([]);
      const response = { ...RESPONSE, id: 'resp_gen-1', model: 'asked/for', usage: { ...usage, ...COSTS } };
      expect(valuesOf(writer.end(USAGE))).toEqual([
        { ...final, response },
        { type: 'keepalive' },
        { type: 'response.done', response: { ...RESPONSE, id: 'resp_gen-1', model: 'asked/for' } },
      ]);
    },
  );

  it('have the gateway’s counts where the provider has none', () => {
    const { writer } = written(native({ type: 'response.completed', response: RESPONSE }));
    expect(valuesOf(writer.end(USAGE))).toMatchObject([
      { response: { usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120, ...COSTS } } },
    ]);
  });

  it('keep integers that are no numbers of JavaScript', async () => {
    const { exactInteger } = await import('../../../src/base/json/exact-integer.js');
    const tools = [{ parameters: { maximum: exactInteger('9223372036854775807') } }];
    const { out } = written(native({ type: 'response.created', response: { ...RESPONSE, tools } }));
    expect(out[0]?.text).toContain('9223372036854775807');
  });
});

describe('a native stream whose answer is cut off', () => {
  it('ends with the open item and the response incomplete', () => {
    const { writer, out } = written(...numbered(...BEGINNING, ...TEXT));
    const events = valuesOf([...out, ...writer.cutOff(), ...writer.end(USAGE)]);
    expect(judged(events)).toMatchObject({
      ...{ id: 'resp_gen-1', model: 'asked/for', status: 'incomplete', instructions: 'Be kind' },
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ ...MESSAGE, status: 'incomplete', content: [WHOLE_TEXT] }],
      usage: { output_tokens: 20, ...COSTS },
    });
  });

  it.each([
    ['function_call', 'response.function_call_arguments', { arguments: '' }, { arguments: '{"a' }],
    ['custom_tool_call', 'response.custom_tool_call_input', { input: '' }, { input: '{"a' }],
  ])('ends an open %s', (type, event, empty, cut) => {
    const item = { type, id: 'c_1', call_id: 'call_1', name: 'look', status: 'in_progress', ...empty };
    const { writer, out } = written(
      ...numbered(
        ...BEGINNING,
        { type: 'response.output_item.added', output_index: 0, item },
        { type: `${event}.delta`, item_id: 'c_1', output_index: 0, delta: '{"a' },
      ),
    );
    const events = valuesOf([...out, ...writer.cutOff(), ...writer.end(USAGE)]);
    expect(judged(events).output).toEqual([{ ...item, ...cut, status: 'incomplete' }]);
  });

  it('ends open reasoning, whose parts that are done stay so', () => {
    const at = { item_id: 'rs_1', output_index: 0 };
    const part = (text: string) => ({ type: 'summary_text', text });
    const { writer, out } = written(
      ...numbered(
        ...BEGINNING,
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: { type: 'reasoning', id: 'rs_1', summary: [] },
        },
        { type: 'response.reasoning_summary_part.added', ...at, summary_index: 0, part: part('') },
        { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: 'A' },
        { type: 'response.reasoning_summary_text.done', ...at, summary_index: 0, text: 'A' },
        { type: 'response.reasoning_summary_part.done', ...at, summary_index: 0, part: part('A') },
        { type: 'response.reasoning_summary_part.added', ...at, summary_index: 1, part: part('') },
        { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 1, delta: 'B' },
      ),
    );
    const events = valuesOf([...out, ...writer.cutOff(), ...writer.end(USAGE)]);
    expect(judged(events).output).toEqual([
      { type: 'reasoning', id: 'rs_1', summary: [part('A'), part('B')] },
    ]);
  });
});

describe('a native stream that breaks off', () => {
  const BROKEN = new Problem('upstream_failed', 'It broke');

  it('ends with an error and a failed response of the gateway’s own, numbered on', () => {
    const { writer, out } = written(...numbered(...BEGINNING, ...TEXT));
    const events = valuesOf([...out, ...writer.fail(BROKEN, null, USAGE)]);
    expect(judged(events)).toMatchObject({
      ...{ id: 'resp_gen-1', model: 'asked/for', status: 'failed' },
      error: { code: 'server_error', message: 'It broke' },
      output: [{ ...MESSAGE, status: 'incomplete', content: [WHOLE_TEXT] }],
      usage: { output_tokens: 20, ...COSTS },
    });
  });

  it('with an error of the provider’s ends with the failed response alone', () => {
    const error = { type: 'error', code: 'server_error', message: 'Oh', param: null };
    const { writer, out } = written(...numbered(...BEGINNING, error));
    expect(valuesOf(out).at(-1)).toEqual({ ...error, sequence_number: 2 });
    expect(valuesOf(writer.fail(BROKEN, null, null))).toMatchObject([
      {
        type: 'response.failed',
        sequence_number: 3,
        response: { id: 'resp_gen-1', status: 'failed', output: [] },
      },
    ]);
  });

  it('with the provider’s own failed response ends with that', () => {
    const error = { code: 'rate_limit_exceeded', message: 'Please try again in 3s.' };
    const final = {
      type: 'response.failed',
      sequence_number: 2,
      response: { ...RESPONSE, status: 'failed', error },
    };
    const { writer } = written(...numbered(...BEGINNING), native(final));
    expect(valuesOf(writer.fail(BROKEN, null, USAGE))).toMatchObject([
      { ...final, response: { id: 'resp_gen-1', model: 'asked/for', error, usage: COSTS } },
    ]);
  });

  it('at the settlement of a complete answer is told as failed', () => {
    const completed = { type: 'response.completed', sequence_number: 6, response: RESPONSE };
    const { writer } = written(...numbered(...BEGINNING, ...TEXT), native(completed));
    expect(valuesOf(writer.fail(new Problem('internal', 'No'), null, null))).toMatchObject([
      // After the three that end the text.
      { type: 'error', sequence_number: 10, error: { code: 'server_error' } },
      { type: 'response.failed', sequence_number: 11, response: { status: 'failed' } },
    ]);
  });

  it('of a host that numbers nothing is numbered from its place', () => {
    const { writer } = written(...BEGINNING.map((event) => native(event)));
    expect(valuesOf(writer.fail(BROKEN, null, null)).map(({ sequence_number }) => sequence_number)).toEqual([
      2, 3,
    ]);
  });
});
