/** Answers as hosts of OpenAI's format spell them; sources: docs/providers/openai-compatible.md. */
import { describe, expect, it } from 'vitest';
import { answerIn } from '../../support/chat-answer.js';
import { bodyOf, type Row } from '../../support/rest.js';
import { hostForAll, MESSAGES, streamOf, wholeOf } from './spelled-answers.js';

const ask = hostForAll();

type Fragment = readonly [
  index: number | undefined,
  id: string | undefined,
  name?: string | undefined,
  text?: string,
];

const fragment = ([index, id, name, text]: Fragment) => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id }),
  function: { ...(name !== undefined && { name }), ...(text !== undefined && { arguments: text }) },
});

/** The calls that a client gets, as `name arguments`, and their ids. */
async function callsFrom(...deltas: readonly (readonly Fragment[])[]) {
  const plan = streamOf(deltas.map((fragments) => ({ tool_calls: fragments.map(fragment) })));
  const { message, finish_reason } = answerIn(await ask(plan, { stream: true }), true);
  expect(finish_reason).toBe('tool_calls');
  const calls = (message.tool_calls ?? []) as { id: string; function: { name: string; arguments: string } }[];
  const ids = calls.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).not.toBe('');
  return { ids, calls: calls.map(({ function: called }) => `${called.name} ${called.arguments}`) };
}

const TWO = ['f {"x":1}', 'f {"x":2}'];

describe('the calls of a stream', () => {
  it('a call whose id changes in later fragments of its index is one call, with the first id', async () => {
    const changing = await callsFrom(
      [[0, 'a', 'f', '']],
      [[0, 'b', '', '{"x"']],
      [[0, 'c', '', ':1}']],
      [[0, 'd', '', '']],
    );
    expect(changing).toEqual({ ids: ['a'], calls: ['f {"x":1}'] });
    const named = await callsFrom([[0, 'a', 'f', '{"x"']], [[0, 'b', 'f', ':1}']]);
    expect(named).toEqual({ ids: ['a'], calls: ['f {"x":1}'] });
  });

  it.each<[string, Fragment[][], string[]]>([
    [
      'empty ids',
      [[[0, '', 'f', '{"x":1}']], [[0, '', 'f', '{"x":2}']], [[0, '', 'g', '{}']]],
      [...TWO, 'g {}'],
    ],
    [
      'no ids',
      [[[0, undefined, 'f', '{"x":1}']], [[0, undefined, 'f', '{"x":2}']], [[0, undefined, 'g', '']]],
      [...TWO, 'g {}'],
    ],
    ['no ids, and no arguments', [[[0, undefined, 'f', '{}']], [[0, undefined, 'f', '']]], ['f {}', 'f {}']],
    [
      'no ids, in one delta',
      [
        [
          [0, undefined, 'f', '{}'],
          [0, undefined, 'f', '{}'],
          [0, undefined, 'g', ''],
        ],
      ],
      ['f {}', 'f {}', 'g {}'],
    ],
    [
      'no ids, in pieces',
      [
        [[0, '', 'f', '']],
        [[0, '', '', '{"x"']],
        [[0, '', '', ':1}']],
        [[0, '', 'f', '']],
        [[0, '', '', '{"x":2}']],
      ],
      TWO,
    ],
    [
      'ids of their own',
      [[[0, 'a', 'f', '']], [[0, '', '', '{"x":1}']], [[0, 'b', 'f', '']], [[0, '', '', '{"x":2}']]],
      TWO,
    ],
    [
      'one id for all',
      [
        [[0, 'a', 'f', '']],
        [[0, '', '', '{"x":1}']],
        [[0, 'a', 'f', '']],
        [[0, '', '', '{"x":2}']],
        [[0, 'a', 'g', '{}']],
      ],
      [...TWO, 'g {}'],
    ],
  ])('parallel calls that all have the index 0 are told apart: %s', async (_, deltas, calls) => {
    expect((await callsFrom(...deltas)).calls).toEqual(calls);
  });

  it('two calls that share an id have ids of their own', async () => {
    const shared = await callsFrom(
      [[0, 'a', 'f', '{"x":1}']],
      [[1, 'a', 'f', '{"x":2}']],
      [[2, 'a', 'g', '{}']],
    );
    expect(shared.calls).toEqual([...TWO, 'g {}']);
    expect(shared.ids[0]).toBe('a');
  });

  it.each<[string, Fragment[][], string[]]>([
    // https://github.com/SillyTavern/SillyTavern/pull/5948
    [
      'id and name with each fragment',
      [[[0, 'a', 'f', '']], [[0, 'a', 'f', '{"x":']], [[0, 'a', 'f', '{"y":1}}']], [[0, 'a', 'f', '']]],
      ['f {"x":{"y":1}}'],
    ],
    [
      'id and name with each fragment, all in one delta',
      [
        [
          [0, 'a', 'f', ''],
          [0, 'a', 'f', '{"x":'],
          [0, 'a', 'f', '1}'],
          [0, 'b', 'f', '{"x"'],
          [0, 'b', 'f', ':2}'],
        ],
      ],
      TWO,
    ],
    [
      'id and name with each fragment, one of them blank',
      [[[0, 'a', 'f', '{"x":"']], [[0, 'a', 'f', ' ']], [[0, 'a', 'f', '"}']], [[0, 'a', 'f', ' ']]],
      ['f {"x":" "}'],
    ],
    // https://github.com/mudler/LocalAI/issues/9722
    [
      'a call once more at another index',
      [[[0, 'a', 'f', '']], [[1, 'a', 'f', '{"x":1}']], [[2, 'a', 'f', '{"x":1}']]],
      ['f {"x":1}'],
    ],
    // https://github.com/sgl-project/sglang/issues/6310
    [
      'openings numbered by their tool, arguments by their call',
      [
        [[0, 'a', 'f', '']],
        [[0, undefined, undefined, '{"x":1}']],
        [[3, 'b', 'f', '']],
        [[1, undefined, undefined, '{"x":']],
        [[1, undefined, undefined, '2}']],
      ],
      TWO,
    ],
    [
      'neither index nor id, the name with each fragment',
      [
        [[undefined, undefined, 'f', '{"x"']],
        [[undefined, undefined, 'f', ':1}']],
        [[undefined, undefined, 'f', '{"x":2}']],
      ],
      TWO,
    ],
  ])('are whole where a host sends %s', async (_, deltas, calls) => {
    expect((await callsFrom(...deltas)).calls).toEqual(calls);
  });
});

describe('the calls of an answer in one piece', () => {
  const call = (id?: string) => ({
    ...(id !== undefined && { id }),
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  });
  const idsIn = (answer: Row): string[] =>
    ((answer.choices as { message: { tool_calls: { id: string }[] } }[])[0]?.message.tool_calls ?? []).map(
      ({ id }) => id,
    );

  it('that share an id, also in the characters that every host takes, have ids of their own', async () => {
    const tool_calls = ['f:1', 'f:1', 'f_1'].map(call);
    const ids = idsIn(bodyOf(await ask(wholeOf({ content: null, tool_calls }))));
    expect([ids[0], new Set(ids.map((id) => id.replace(':', '_'))).size]).toEqual(['f:1', 3]);
  });

  it('that have no ids get such as no other answer has, and hosts of all kinds take', async () => {
    const plan = wholeOf({ content: null, tool_calls: [call(), call('')] });
    const ids = [...idsIn(bodyOf(await ask(plan))), ...idsIn(bodyOf(await ask(plan)))];
    const own = expect.stringMatching(/^[A-Za-z0-9_-]{16,40}$/);
    expect([ids, new Set(ids).size]).toEqual([[own, own, own, own], 4]);
  });

  it('have no id that the conversation has had, so that its results name one call', async () => {
    const before = [
      ...MESSAGES,
      { role: 'assistant', content: null, tool_calls: [call('f:0')] },
      { role: 'tool', tool_call_id: 'f:0', content: '1' },
    ];
    const plan = wholeOf({ content: null, tool_calls: [call('f:0'), call('f:1')] });
    const ids = idsIn(bodyOf(await ask(plan, { messages: before })));
    expect(ids[0]).not.toBe('f:0');
    expect(ids[1]).toBe('f:1');
  });
});
