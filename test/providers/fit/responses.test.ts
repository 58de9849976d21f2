import { describe, expect, it } from 'vitest';
import { JPEG, PNG } from '../strict-examples/example.js';
import { RESPONSES_BASE } from '../strict-examples/responses.js';
import { assistant, call, fittedResponses, output, reasoning, text, user } from './responses.fixture.js';

const LONG = 'x'.repeat(70);

it('a request that fits is the same object', () => {
  const { given, body, adapted } = fittedResponses(RESPONSES_BASE);
  expect(body).toBe(given);
  expect(adapted).toEqual([]);
});

describe('ids', () => {
  it.each([
    ['of another type', assistant('Hi', { id: 'item_1' })],
    ['that are too long', assistant('Hi', { id: `msg_${LONG}` })],
    ['with other characters', assistant('Hi', { id: 'msg_1:2' })],
    ['that are empty', assistant('Hi', { id: '' })],
    ['that are null', assistant('Hi', { id: null })],
  ])('%s are not sent', (_, item) => {
    const { input, adapted } = fittedResponses({ input: [item] });
    expect(input).toEqual([assistant('Hi')]);
    expect(adapted).toEqual([]);
  });

  it('are sent once', () => {
    const { input } = fittedResponses({
      input: [assistant('a', { id: 'msg_1' }), assistant('b', { id: 'msg_1' })],
    });
    expect(input).toEqual([assistant('a', { id: 'msg_1' }), assistant('b')]);
  });

  it('of calls that are too long are shortened, the same for call and output, another for another', () => {
    const [a, b] = [`${LONG}a`, `${LONG}b`];
    const items = [call(a), call(b), output(a), output(b)];
    const { input } = fittedResponses({ input: items });
    const ids = input.map(({ call_id }) => String(call_id));
    expect(ids[0]).toBe(ids[2]);
    expect(ids[1]).toBe(ids[3]);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id.length).toBeLessThanOrEqual(64);
    expect(fittedResponses({ input: items }).input).toEqual(input);
  });

  it('that name an item stay', () => {
    const input = [
      { type: 'item_reference', id: 'foreign' },
      { type: 'image_generation_call', id: 'x1' },
      user('Hi'),
    ];
    expect(fittedResponses({ input }).input).toEqual(input);
  });
});

describe('calls and outputs', () => {
  it('a call that was never answered gets an output that says so', () => {
    const { input } = fittedResponses({ input: [call(), user('More')] });
    expect(input).toEqual([
      call(),
      output('call_1', { output: '[The call was not answered.]' }),
      user('More'),
    ]);
  });

  it.each([
    ['without its call', output('call_9'), 'call_9'],
    ['before its call', output('call_1'), 'call_1'],
    ['without an id', { type: 'function_call_output', output: 'Sun' }, ''],
  ])('an output %s is said by the user', (_, item, id) => {
    const { input } = fittedResponses({ input: [item, user('More')] });
    expect(input[0]).toMatchObject({ type: 'message', role: 'user' });
    expect(JSON.stringify(input[0])).toContain(id);
    expect(JSON.stringify(input[0])).toContain(item.output);
  });

  it('late outputs stay where they are, those of custom tools with those alone', () => {
    const custom = { type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input: '+' };
    const input = [
      call(),
      user('Wait'),
      output(),
      custom,
      { type: 'custom_tool_call_output', call_id: 'call_1', output: 'ok' },
    ];
    expect(fittedResponses({ input }).input).toEqual(input);
  });

  it('arguments and outputs that are no text become one', () => {
    const { input } = fittedResponses({
      input: [call('c', { arguments: { a: 1 } }), output('c', { output: { b: 2 } })],
    });
    expect(input).toEqual([call('c', { arguments: '{"a":1}' }), output('c', { output: '{"b":2}' })]);
  });
});

describe('reasoning', () => {
  it('goes with what it led to, and without what is readable', () => {
    const readable = reasoning('rs_1', {
      content: [{ type: 'reasoning_text', text: 'Hm' }],
      status: 'completed',
    });
    const { input, adapted } = fittedResponses({ input: [readable, call(), output()] }, { model: 'gpt-5' });
    expect(input).toEqual([reasoning(), call(), output()]);
    expect(adapted).toEqual([]);
  });

  it.each([
    [
      'that is not encrypted',
      [reasoning('rs_1', { encrypted_content: null }), call('c', { id: 'fc_1' }), output('c')],
    ],
    [
      'that is not encrypted at all',
      [{ type: 'reasoning', id: 'rs_1', summary: [] }, call('c', { id: 'fc_1' }), output('c')],
    ],
  ])('%s is left out, and what it led to has no id', (_, items) => {
    const { input, adapted } = fittedResponses({ input: items });
    expect(input).toEqual([call('c'), output('c')]);
    expect(adapted).toEqual([['reasoning', 'left_out']]);
  });

  it.each([
    ['at the end', [user('Hi'), reasoning()]],
    ['before the user', [reasoning(), user('Hi')]],
  ])('that led to nothing, %s, is left out', (_, items) => {
    expect(fittedResponses({ input: items }).input).toEqual([user('Hi')]);
  });

  it('goes to hosts that store nothing of their own as it came', () => {
    const input = [
      reasoning('rs_1', { encrypted_content: null, content: [{ type: 'reasoning_text', text: 'Hm' }] }),
      user('Hi'),
    ];
    const { input: sent } = fittedResponses({ input }, { at: 'my-vllm' });
    expect(sent[0]).toMatchObject({ content: [{ text: 'Hm' }] });
  });
});

describe('contents', () => {
  it('have the types of their role', () => {
    const { input } = fittedResponses({
      input: [
        user([
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'https://x/y.png', detail: 'low' } },
        ]),
        assistant([text('b'), { type: 'refusal', refusal: 'No' }]),
        user([{ type: 'output_text', text: 'c' }]),
      ],
    });
    expect(input).toEqual([
      user([text('a'), { type: 'input_image', image_url: 'https://x/y.png', detail: 'low' }]),
      assistant([
        { type: 'output_text', text: 'b' },
        { type: 'refusal', refusal: 'No' },
      ]),
      user([text('c')]),
    ]);
  });

  it('images are called what they are, in outputs too', () => {
    const image = (type: string, data: string) => ({
      type: 'input_image',
      image_url: `data:${type};base64,${data}`,
    });
    const items = [
      user([image('image/png', JPEG)]),
      call(),
      output('call_1', { output: [image('image/jpg', PNG)] }),
    ];
    const { input } = fittedResponses({ input: items });
    expect(input[0]).toEqual(user([image('image/jpeg', JPEG)]));
    expect(input[2]).toEqual(output('call_1', { output: [image('image/png', PNG)] }));
    expect(() => fittedResponses({ input: [user([image('image/heic', 'AAAA')])] })).toThrow(
      'input[0].content[0].image_url: Host takes no images of type image/heic',
    );
  });

  it('JSON is asked for in words where nothing speaks of it', () => {
    const format = { text: { format: { type: 'json_object' } } };
    const { input } = fittedResponses({ ...format, instructions: 'Answer in JSON', input: 'Hi' });
    expect(input).toEqual([expect.objectContaining({ role: 'developer' }), user('Hi')]);
    expect(fittedResponses({ ...format, input: 'As JSON' }).body.input).toBe('As JSON');
  });
});
