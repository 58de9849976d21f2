import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/base/problem.js';
import { streamError } from '../../../src/formats/responses/transport/error.js';
import { ResponsesEventWriter } from '../../../src/formats/responses/writing/stream-writer.js';
import { judged } from '../../support/responses/event-order.js';
import { chunksOf, type Said, USAGE, wholeAnswer } from '../messages/answer.fixture.js';
import { answered, assembled, brief, call, headOf, RULES, written } from './writing.fixture.js';

describe('a stream', () => {
  it('begins with the response in progress and ends with it whole', () => {
    const events = written([{ role: 'assistant', content: '' }, { content: 'Hi' }]).flat();
    expect(brief(events)).toEqual([
      'created',
      'in_progress',
      'output_item.added message',
      'content_part.added',
      'output_text.delta Hi',
      'output_text.done',
      'content_part.done',
      'output_item.done message',
      'completed',
    ]);
    expect(judged(events)).toEqual(answered({ content: 'Hi' }));
  });

  it('tells each piece when it comes', () => {
    const pieces = [{ reasoning: 'H' }, { reasoning: 'm' }, { content: 'H' }, { content: 'i' }];
    expect(written(pieces).map(brief)).toEqual([
      [
        'created',
        'in_progress',
        'output_item.added reasoning',
        'content_part.added',
        'reasoning_text.delta H',
      ],
      ['reasoning_text.delta m'],
      [
        'reasoning_text.done',
        'content_part.done',
        'output_item.done reasoning',
        'output_item.added message',
        'content_part.added',
        'output_text.delta H',
      ],
      ['output_text.delta i'],
      [],
      ['output_text.done', 'content_part.done', 'output_item.done message', 'completed'],
    ]);
  });

  it('of calls that grow at once streams the first and holds the others until its arguments are whole', () => {
    const pieces = [
      call(0, '', 'look'),
      call(1, '{"b":', 'wait'),
      call(0, '{"a":"}"'),
      call(1, '1}'),
      call(0, '}'),
    ];
    expect(written(pieces).map(brief).slice(0, 5)).toEqual([
      ['created', 'in_progress', 'output_item.added function_call'],
      [],
      ['function_call_arguments.delta {"a":"}"'],
      [],
      [
        'function_call_arguments.delta }',
        'function_call_arguments.done',
        'output_item.done function_call',
        'output_item.added function_call',
        'function_call_arguments.delta {"b":1}',
      ],
    ]);
  });

  it('of a custom tool tells its input as it comes, not the arguments around it', () => {
    const pieces = [
      call(0, '{"inp', 'custom_patch'),
      call(0, 'ut": "a\\'),
      call(0, 'nb\\ud83d'),
      call(0, '\\ude00"}'),
    ];
    expect(written(pieces).map(brief).slice(0, 4)).toEqual([
      ['created', 'in_progress', 'output_item.added custom_tool_call'],
      ['custom_tool_call_input.delta a'],
      ['custom_tool_call_input.delta \nb'],
      ['custom_tool_call_input.delta 😀'],
    ]);
    expect(judged(written(pieces).flat()).output).toMatchObject([
      { type: 'custom_tool_call', name: 'patch', call_id: 'call_0', input: 'a\nb😀', status: 'completed' },
    ]);
  });

  it('says nothing of further choices, which Responses has none of', () => {
    const writer = new ResponsesEventWriter(headOf(), RULES);
    const chunks = chunksOf([{ content: 'Hi' }]).map((chunk) => ({
      ...chunk,
      choices: chunk.choices.map((choice) => ({ ...choice, index: 1 })),
    }));
    expect(brief(chunks.flatMap((chunk) => writer.write(chunk, () => 1)))).toEqual([
      'created',
      'in_progress',
      'completed',
    ]);
  });
});

describe('a stream that breaks off', () => {
  const FAILED = new Problem('upstream_failed', 'It broke');

  function broken(pieces: readonly Said[], usage = true) {
    const writer = new ResponsesEventWriter(headOf(), RULES);
    const events = chunksOf(pieces)
      .slice(0, pieces.length)
      .flatMap((chunk) => writer.write(chunk, () => 1));
    return [...events, ...writer.fail(streamError(FAILED), usage ? USAGE : null)];
  }

  it('ends with an error and the failed response, in which what was being written is incomplete', () => {
    const events = broken([{ content: 'Hi' }, call(0, '{"a"', 'look')]);
    expect(brief(events).slice(-4)).toEqual([
      'output_item.added function_call',
      'function_call_arguments.delta {"a"',
      'error',
      'failed',
    ]);
    expect(judged(events)).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: 'It broke' },
      completed_at: null,
      output: [
        { type: 'message', status: 'completed', content: [{ text: 'Hi' }] },
        { type: 'function_call', status: 'incomplete', arguments: '{"a"' },
      ],
      usage: { input_tokens: 100, cost: 0.001 },
    });
  });

  it('has no usage where it could not be settled', () => {
    expect(judged(broken([{ content: 'Hi' }], false))).toMatchObject({
      usage: null,
      output: [{ type: 'message', status: 'incomplete', content: [{ text: 'Hi' }] }],
    });
  });

  it('is told even where nothing came', () => {
    expect(brief(broken([]))).toEqual(['created', 'in_progress', 'error', 'failed']);
  });

  it('is an exception of OpenAI’s client', async () => {
    await expect(assembled(broken([{ content: 'Hi' }]))).rejects.toMatchObject({
      code: 'server_error',
      type: 'server_error',
    });
  });
});

describe('any stream', () => {
  const words = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
  const texts = fc.array(words, { minLength: 1, maxLength: 3 });

  const detail = fc.record({
    type: fc.constant('reasoning.encrypted'),
    data: words,
    format: fc.constantFrom('google-gemini-v1', 'openai-responses-v1'),
    index: fc.nat(3),
  });

  interface Answer {
    readonly pieces: Said[];
    readonly whole: Said;
  }

  const thought: fc.Arbitrary<Answer> = fc.oneof(
    fc.tuple(texts, fc.array(detail, { maxLength: 2 })).map(([told, details]) => ({
      pieces: [
        ...told.map((reasoning) => ({ reasoning })),
        ...details.map((one) => ({ reasoning_details: [one] })),
      ],
      whole: { reasoning: told.join(''), ...(details.length > 0 && { reasoning_details: details }) },
    })),
    fc.array(fc.record({ text: words, signature: words }), { minLength: 1, maxLength: 2 }).map((thoughts) => {
      const details = thoughts.map(({ text, signature }, index) => {
        const same = { type: 'reasoning.text', format: 'anthropic-claude-v1', index };
        return [
          { ...same, text },
          { ...same, signature },
        ];
      });
      return {
        pieces: details
          .flat()
          .map((one) => ({ reasoning: 'text' in one ? one.text : null, reasoning_details: [one] })),
        whole: {
          reasoning: thoughts.map(({ text }) => text).join(''),
          reasoning_details: details.map((both) => Object.assign({}, ...both)),
        },
      };
    }),
    fc.constant<Answer>({ pieces: [], whole: {} }),
  );

  const given = fc.oneof(
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })).map((value) => ({ value, name: 'look' })),
    words.map((input) => ({ value: { input }, name: 'custom_patch' })),
    fc.constant({ value: { at: 1 }, name: 'space__look' }),
  );

  /** Calls whose fragments come in any order between the calls. */
  const calls: fc.Arbitrary<Answer> = fc
    .array(fc.record({ one: given, cuts: fc.array(fc.nat(40), { maxLength: 3 }) }), { maxLength: 3 })
    .chain((all) => {
      const texts = all.map(({ one }) => JSON.stringify(one.value));
      const fragments = all.flatMap(({ cuts }, index) => {
        const text = texts[index] ?? '';
        const at = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        return at.slice(1).map((end, part) => ({ index, text: text.slice(at[part], end) }));
      });
      const begun = all.map(({ one }, index) => call(index, '', one.name));
      const order = fc.shuffledSubarray(
        fragments.map(({ index }) => index),
        { minLength: fragments.length },
      );
      return order.map((indexes) => {
        const queues = all.map((_, index) => fragments.filter((one) => one.index === index));
        const rest = indexes.map((index) => call(index, queues[index]?.shift()?.text ?? ''));
        const tool_calls = all.map(({ one }, index) => ({
          id: `call_${index}`,
          type: 'function',
          function: { name: one.name, arguments: texts[index] ?? '' },
        }));
        return { pieces: [...begun, ...rest], whole: all.length === 0 ? {} : { tool_calls } };
      });
    });

  const answer = fc.tuple(thought, texts, calls).map(([thoughts, said, called]) => ({
    pieces: [...thoughts.pieces, ...said.map((content) => ({ content })), ...called.pieces],
    whole: { ...thoughts.whole, content: said.join(''), ...called.whole },
  }));

  it('that OpenAI’s client puts together is the answer in one piece, however it comes', async () => {
    const shown = fc.record({ showsReasoning: fc.boolean(), carriesReasoning: fc.boolean() });
    const kind = fc.constantFrom('reasoning_text' as const, 'summary_text' as const);
    const reason = fc.constantFrom('stop' as const, 'tool_calls' as const);
    await fc.assert(
      fc.asyncProperty(answer, shown, kind, reason, async (said, shows, reasoningPart, reason) => {
        const rules = { ...RULES, ...shows, reasoningPart };
        const events = written(said.pieces, rules, { reason }).flat();
        const whole = answered(said.whole, rules, { reason });
        expect(judged(events)).toEqual(whole);
        // The client adds members of its own.
        expect(await assembled(events)).toMatchObject({ ...whole, output: expect.any(Array) });
      }),
    );
  });

  it('has its events in order, and tells every text once, in whatever order things come and wherever it ends', () => {
    const piece = fc.oneof(
      words.map((content): Said => ({ content })),
      words.map((reasoning): Said => ({ reasoning })),
      words.map((refusal): Said => ({ refusal })),
      detail.map((one): Said => ({ reasoning_details: [one] })),
      fc
        .tuple(fc.nat(2), words, fc.constantFrom(undefined, 'look', 'custom_patch'))
        .map(([index, text, name]) => call(index, text, name)),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 20 }),
        fc.constantFrom('stop', 'length', 'content_filter'),
        (said, reason) => {
          const events = written(said, RULES, { reason: reason as 'stop' }).flat();
          judged(events);
          for (const [member, type] of [
            ['content', 'response.output_text.delta'],
            ['reasoning', 'response.reasoning_text.delta'],
            ['refusal', 'response.refusal.delta'],
          ]) {
            const told = said.map((one) => (one as Record<string, string>)[member ?? ''] ?? '').join('');
            const sent = events.map((event) => (event.type === type ? event.delta : '')).join('');
            expect(sent).toBe(told);
          }
        },
      ),
    );
  });

  it('has ids that no other item and no other answer has', () => {
    const events = written([
      { reasoning: 'H' },
      { content: 'a' },
      call(0, '{}', 'look'),
      call(1, '{}', 'look'),
    ]);
    const ids = (judged(events.flat()).output as { id: string }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^(rs|msg|fc)_gen-1_\d$/);
    expect(wholeAnswer({}).id).toBe('gen-1');
  });
});
