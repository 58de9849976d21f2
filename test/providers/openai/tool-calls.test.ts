import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../src/formats/chat/types.js';
import { readAnswer } from '../../../src/providers/openai/chat/answer.js';
import { ChunkReader } from '../../../src/providers/openai/chat/events.js';
import { chunk } from './adapter.fixture.js';

/** Every fragment that leaves the reader for these deltas, the stream's end included. */
function fragmentsOf(...deltas: readonly object[]): ToolCall[] {
  return fragmentsWith([], ...deltas);
}

/** The same, where the model was given tools. */
function fragmentsWith(tools: readonly string[], ...deltas: readonly object[]): ToolCall[] {
  const given = { tools: tools.map((name) => ({ type: 'function', function: { name } })) };
  const reader = new ChunkReader(undefined, undefined, given);
  const chunks = [...deltas.map((call) => chunk({ tool_calls: [call] })), chunk({}, 'tool_calls')];
  return chunks
    .flatMap((each) => reader.read({ ...each }))
    .flatMap((event) => (event.type === 'delta' ? (event.delta.tool_calls ?? []) : []));
}

/** The calls that a client puts together from fragments, by nothing but their index. */
function callsOf(fragments: readonly ToolCall[]) {
  const calls: { id: string; name: string; text: string }[] = [];
  for (const { index = -1, id = '', function: called } of fragments) {
    calls[index] ??= { id: '', name: '', text: '' };
    const call = calls[index];
    call.id += id;
    call.name += called?.name ?? '';
    call.text += called?.arguments ?? '';
  }
  return calls;
}

/** An id that the gateway has made: hosts of all kinds take it. */
const OWN_ID = expect.stringMatching(/^[A-Za-z0-9_-]{16,40}$/);

const fn = (name?: string, text?: unknown) => ({
  function: { ...(name !== undefined && { name }), ...(text !== undefined && { arguments: text }) },
});

describe('the fragments of tool calls', () => {
  it('always carry index, and id, type and name once', () => {
    const fragments = fragmentsOf(
      { index: 0, id: 'a', type: 'function', ...fn('f', '') },
      { index: 0, id: 'a', type: 'function', ...fn('f', '{"x"') },
      { index: 0, ...fn(undefined, ':1}') },
    );
    expect(fragments).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '{"x"' } },
      { index: 0, function: { arguments: ':1}' } },
    ]);
  });

  it.each<[string, object[], object[]]>([
    [
      'as OpenAI sends them, in parallel',
      [
        { index: 0, id: 'a', ...fn('f', '') },
        { index: 0, ...fn(undefined, '{"x":1}') },
        { index: 1, id: 'b', ...fn('g', '') },
        { index: 1, ...fn(undefined, '{"y":2}') },
      ],
      [
        { id: 'a', name: 'f', text: '{"x":1}' },
        { id: 'b', name: 'g', text: '{"y":2}' },
      ],
    ],
    [
      'interleaved',
      [
        { index: 0, id: 'a', ...fn('f', '[') },
        { index: 1, id: 'b', ...fn('g', '{') },
        { index: 0, ...fn(undefined, ']') },
        { index: 1, ...fn(undefined, '}') },
      ],
      [
        { id: 'a', name: 'f', text: '[]' },
        { id: 'b', name: 'g', text: '{}' },
      ],
    ],
    [
      'without index, told apart by new ids',
      [{ id: 'a', ...fn('f', '{') }, fn(undefined, '}'), { id: 'b', ...fn('g', '[') }, fn(undefined, ']')],
      [
        { id: 'a', name: 'f', text: '{}' },
        { id: 'b', name: 'g', text: '[]' },
      ],
    ],
    [
      'with one index for all, told apart by new ids',
      [
        { index: 0, id: 'a', ...fn('f', '{}') },
        { index: 0, id: 'b', ...fn('g', '[') },
        { index: 0, ...fn(undefined, ']') },
      ],
      [
        { id: 'a', name: 'f', text: '{}' },
        { id: 'b', name: 'g', text: '[]' },
      ],
    ],
    [
      'with a known id under another index',
      [
        { index: 0, id: 'a', ...fn('f', '{') },
        { index: 3, id: 'a', ...fn(undefined, '}') },
      ],
      [{ id: 'a', name: 'f', text: '{}' }],
    ],
    [
      'with a first index of 1',
      [
        { index: 1, id: 'a', ...fn('f', '{') },
        { index: 1, ...fn(undefined, '}') },
      ],
      [{ id: 'a', name: 'f', text: '{}' }],
    ],
    [
      'without any id',
      [
        { index: 0, ...fn('f', '{}') },
        { index: 1, ...fn('g', '{') },
        { index: 1, ...fn(undefined, '}') },
      ],
      [
        { id: OWN_ID, name: 'f', text: '{}' },
        { id: OWN_ID, name: 'g', text: '{}' },
      ],
    ],
    [
      'without id and index, told apart by names',
      [fn('f', '{}'), fn('g', '{'), fn(undefined, '}')],
      [
        { id: OWN_ID, name: 'f', text: '{}' },
        { id: OWN_ID, name: 'g', text: '{}' },
      ],
    ],
    [
      'with an empty id in what follows',
      [
        { index: 0, id: 'a', ...fn('f', '{') },
        { index: 0, id: '', ...fn('', '}') },
      ],
      [{ id: 'a', name: 'f', text: '{}' }],
    ],
    [
      'with an id that comes late',
      [
        { index: 0, ...fn('f', '') },
        { index: 0, id: 'late', ...fn(undefined, '{}') },
        { index: 0, id: 'late', ...fn(undefined, ' ') },
      ],
      [{ id: OWN_ID, name: 'f', text: '{} ' }],
    ],
    [
      'with arguments that are an object',
      [{ id: 'a', ...fn('f', { x: 1 }) }],
      [{ id: 'a', name: 'f', text: '{"x":1}' }],
    ],
    [
      'without arguments',
      [
        { index: 0, id: 'a', ...fn('f') },
        { index: 1, id: 'b', ...fn('g', '') },
      ],
      [
        { id: 'a', name: 'f', text: '{}' },
        { id: 'b', name: 'g', text: '{}' },
      ],
    ],
  ])('make the same calls %s', (_, deltas, calls) => {
    expect(callsOf(fragmentsOf(...deltas))).toEqual(calls);
  });

  describe('with a name in pieces', () => {
    const tools = ['get', 'get_weather', 'edit_existing_file'];

    it.each<[string, object[], object[]]>([
      [
        'before the arguments (Gemini)',
        [
          { index: 0, id: 'a', ...fn('edit_ex', '') },
          { index: 0, ...fn('isting_', '') },
          { index: 0, id: 'a', ...fn('file', '{"x"') },
          { index: 0, ...fn(undefined, ':1}') },
        ],
        [{ id: 'a', name: 'edit_existing_file', text: '{"x":1}' }],
      ],
      [
        'of which the first is a tool',
        [{ index: 0, id: 'a', ...fn('get', '') }, fn('_weather', ''), fn(undefined, '{}')],
        [{ id: 'a', name: 'get_weather', text: '{}' }],
      ],
      [
        'and no arguments',
        [
          { index: 0, id: 'a', ...fn('get_', '') },
          { index: 0, ...fn('weather') },
        ],
        [{ id: 'a', name: 'get_weather', text: '{}' }],
      ],
      [
        'beside a whole one that others begin with',
        [
          { index: 0, id: 'a', ...fn('get', '') },
          { index: 1, id: 'b', ...fn('get_weather', '') },
          { index: 0, ...fn(undefined, '{}') },
          { index: 1, ...fn(undefined, '[]') },
        ],
        [
          { id: 'a', name: 'get', text: '{}' },
          { id: 'b', name: 'get_weather', text: '[]' },
        ],
      ],
      [
        'never, where two calls share an index',
        [
          { index: 0, ...fn('get', '{}') },
          { index: 0, ...fn('_weather', '{}') },
        ],
        [
          { id: OWN_ID, name: 'get', text: '{}' },
          { id: OWN_ID, name: '_weather', text: '{}' },
        ],
      ],
    ])('make the calls that are meant: %s', (_, deltas, calls) => {
      const fragments = fragmentsWith(tools, ...deltas);
      expect(callsOf(fragments)).toEqual(calls);
      expect(fragments.filter((one) => one.function?.name !== undefined)).toHaveLength(calls.length);
    });

    it('keep what came beside its beginning', () => {
      const signature = { extra_content: { google: { thought_signature: 'x' } } };
      const deltas = [{ index: 0, id: 'a', ...fn('get_', ''), ...signature }, fn('weather', '{}')];
      const opening = { index: 0, id: 'a', type: 'function', ...fn('get_weather', '{}') };
      expect(fragmentsWith(tools, ...deltas)).toEqual([{ ...opening, ...signature }]);
    });
  });

  it('keep what else a call holds, and calls that are no function', () => {
    const signature = { extra_content: { google: { thought_signature: 'x' } } };
    expect(fragmentsOf({ index: 0, id: 'a', ...fn('f', '{}'), ...signature })[0]).toMatchObject(signature);
    const custom = { index: 0, id: 'a', type: 'custom', custom: { name: 'c', input: 'x' } };
    expect(fragmentsOf(custom)).toEqual([custom]);
  });

  it('lose and mix up nothing, however the arguments are cut and the calls interleaved', () => {
    const texts = fc.array(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(texts, fc.infiniteStream(fc.nat()), (calls, choices) => {
        const left = calls.map((pieces, index) => ({ index, pieces: [...pieces], isOpen: false }));
        const deltas: object[] = [];
        for (let open = left; open.length > 0; open = open.filter(({ pieces }) => pieces.length > 0)) {
          const call = open[choices.next().value % open.length];
          if (call === undefined) break;
          const opening = call.isOpen ? {} : { id: `id${call.index}` };
          const name = call.isOpen ? undefined : `f${call.index}`;
          deltas.push({ index: call.index, ...opening, ...fn(name, call.pieces.shift()) });
          call.isOpen = true;
        }
        const made = callsOf(fragmentsOf(...deltas)).map(({ id, name, text }) => `${id} ${name} ${text}`);
        const meant = calls.map((pieces, index) => `id${index} f${index} ${pieces.join('')}`);
        expect(made.sort()).toEqual(meant.sort());
      }),
    );
  });
});

describe('the tool calls of an answer in one piece', () => {
  function callsIn(...tool_calls: readonly unknown[]) {
    const message = { role: 'assistant', content: null, tool_calls };
    return readAnswer({ choices: [{ message, finish_reason: 'tool_calls' }] }).choices[0]?.message;
  }

  it.each([
    ['whole', { id: 'a', type: 'function', ...fn('f', '{"x":1}') }, 'a', '{"x":1}'],
    ['with an index', { index: 0, id: 'a', ...fn('f', '{"x":1}') }, 'a', '{"x":1}'],
    ['without id', fn('f', '{}'), OWN_ID, '{}'],
    ['without arguments', { id: 'a', ...fn('f', '') }, 'a', '{}'],
    ['with an object', { id: 'a', ...fn('f', { x: [] }) }, 'a', '{"x":[]}'],
  ])('are normalised, %s', (_, call, id, text) => {
    expect(callsIn(call)).toEqual({
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: text } }],
    });
  });

  it('have ids of their own where there are none', () => {
    const ids = callsIn(fn('f'), fn('f'))?.tool_calls?.map(({ id }) => id) ?? [];
    expect([ids, new Set(ids).size]).toEqual([[OWN_ID, OWN_ID], 2]);
  });
});
