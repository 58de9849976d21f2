import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MessagesEvent } from '../../../src/formats/messages/types.js';
import { messagesAnswer } from '../../../src/formats/messages/writing/answer.js';
import { MessagesEventWriter } from '../../../src/formats/messages/writing/stream-writer.js';
import { chunksOf, RULES, type Said, wholeAnswer } from './answer.fixture.js';

const HEAD = { id: 'gen-1', model: 'm', promptTokens: 77 };

/** The events of the pieces, those of each chunk in a list. */
function written(pieces: readonly Said[], rules = RULES): MessagesEvent[][] {
  const writer = new MessagesEventWriter(HEAD, rules);
  return chunksOf(pieces).map((chunk) => writer.write(chunk));
}

/** What of the events a test looks at: kind, index, and what is new. */
function brief(events: readonly MessagesEvent[]): string[] {
  return events.map((event) => {
    if (event.type === 'content_block_start') return `+${event.index} ${event.content_block.type}`;
    if (event.type === 'content_block_stop') return `-${event.index}`;
    if (event.type !== 'content_block_delta') return event.type;
    const { type, ...rest } = event.delta;
    return `${event.index} ${Object.values(rest).join()}`;
  });
}

/** The message that Anthropic's own client makes of the events. */
async function assembled(events: readonly MessagesEvent[]): Promise<Anthropic.Message> {
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = () => Promise.resolve(new Response(text, { headers }));
  const client = new Anthropic({ apiKey: 'k', fetch, maxRetries: 0 });
  return client.messages.stream({ model: 'm', max_tokens: 1, messages: [] }).finalMessage();
}

function call(index: number, given: string, name?: string): Said {
  const begun = name === undefined ? {} : { id: `call_${index}`, type: 'function' };
  return { tool_calls: [{ index, ...begun, function: { ...(name && { name }), arguments: given } }] };
}

describe('a stream', () => {
  it('begins with an estimate, and ends with the counts', () => {
    const events = written([{ role: 'assistant', content: '' }, { content: 'Hi' }]).flat();
    expect(brief(events)).toEqual([
      'message_start',
      '+0 text',
      '0 Hi',
      '-0',
      'message_delta',
      'message_stop',
    ]);
    expect(events[0]).toMatchObject({
      message: {
        id: 'msg_gen-1',
        content: [],
        stop_reason: null,
        usage: { input_tokens: 77, output_tokens: 0 },
      },
    });
    expect(events.at(-2)).toEqual({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null, container: null },
      usage: messagesAnswer(wholeAnswer({}), 'm', RULES).usage,
    });
  });

  it('tells at its end how long what was written to a cache is kept', () => {
    const writer = new MessagesEventWriter(HEAD, RULES);
    const events = chunksOf([{ content: 'Hi' }]).flatMap((chunk) => writer.write(chunk, 4));
    expect(events.at(-2)).toMatchObject({
      usage: { cache_creation: { ephemeral_5m_input_tokens: 6, ephemeral_1h_input_tokens: 4 } },
    });
  });

  it('tells each piece when it comes', () => {
    const pieces = [{ reasoning: 'H' }, { reasoning: 'm' }, { content: 'H' }, { content: 'i' }];
    expect(written(pieces).map(brief)).toEqual([
      ['message_start', '+0 thinking', '0 H'],
      ['0 m'],
      [expect.stringMatching(/^0 bw2\./), '-0', '+1 text', '1 H'],
      ['1 i'],
      [],
      ['-1', 'message_delta', 'message_stop'],
    ]);
  });

  it('of calls that grow at once streams the first and holds the others until its arguments are whole', () => {
    const pieces = [
      call(0, '', 'look'),
      call(1, '{"b":', 'wait'),
      call(0, '{"a":"}"'),
      call(1, '1}'),
      call(0, '}'),
      call(1, ' '),
    ];
    expect(written(pieces).map(brief)).toEqual([
      ['message_start', '+0 tool_use'],
      [],
      ['0 {"a":"}"'],
      [],
      ['0 }', '-0', '+1 tool_use', '1 {"b":1}'],
      ['1  '],
      [],
      ['-1', 'message_delta', 'message_stop'],
    ]);
  });

  it('of words amid a call holds them until its arguments are whole', () => {
    const pieces = [call(0, '{"a":', 'look'), { content: 'So' }, call(0, '1}'), { content: ' it is' }];
    expect(written(pieces).map(brief)).toEqual([
      ['message_start', '+0 tool_use', '0 {"a":'],
      [],
      ['0 1}', '-0', '+1 text', '1 So'],
      ['1  it is'],
      [],
      ['-1', 'message_delta', 'message_stop'],
    ]);
  });

  it('says nothing of further choices, which Messages has none of', () => {
    const writer = new MessagesEventWriter(HEAD, RULES);
    const [first] = chunksOf([{ content: 'Hi' }]).map((chunk) => ({
      ...chunk,
      choices: chunk.choices.map((choice) => ({ ...choice, index: 1 })),
    }));
    expect(first && brief(writer.write(first))).toEqual(['message_start']);
  });
});

describe('a stream that Anthropic’s client puts together', () => {
  const words = fc.string({ minLength: 1, maxLength: 20 });
  const pieces = fc.array(words, { maxLength: 4 });
  const argumentsOfCall = fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))
    .map((value) => JSON.stringify(value));

  /** A detail of every kind that adapters write. */
  const detail = fc.record({
    type: fc.constant('reasoning.encrypted'),
    data: words,
    format: fc.constantFrom('google-gemini-v1', 'openai-responses-v1'),
    index: fc.nat(3),
  });
  const claude = fc.record({ text: words, signature: words });

  interface Answer {
    readonly pieces: Said[];
    readonly whole: Said;
  }

  const thought: fc.Arbitrary<Answer> = fc.oneof(
    fc
      .tuple(
        pieces.filter(({ length }) => length > 0),
        fc.array(detail, { maxLength: 2 }),
      )
      .map(([texts, details]) => ({
        pieces: [
          ...texts.map((reasoning) => ({ reasoning })),
          ...details.map((one) => ({ reasoning_details: [one] })),
        ],
        whole: { reasoning: texts.join(''), ...(details.length > 0 && { reasoning_details: details }) },
      })),
    fc.array(claude, { minLength: 1, maxLength: 2 }).map((thoughts) => {
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
        whole: { reasoning_details: details.map((both) => Object.assign({}, ...both)) },
      };
    }),
    fc.constant<Answer>({ pieces: [], whole: {} }),
  );

  /** Calls whose fragments come in any order between the calls. */
  const calls: fc.Arbitrary<Answer> = fc
    .array(fc.record({ given: argumentsOfCall, cuts: fc.array(fc.nat(40), { maxLength: 3 }) }), {
      maxLength: 3,
    })
    .chain((all) => {
      const fragments = all.flatMap(({ given, cuts }, index) => {
        const at = [0, ...cuts.filter((cut) => cut < given.length).sort((a, b) => a - b), given.length];
        return at
          .slice(1)
          .map((end, part) => ({ index, text: given.slice(at[part], end), isFirst: part === 0 }));
      });
      const begun = all.map((_, index) => call(index, '', `tool_${index}`));
      const order = fc.shuffledSubarray(
        fragments.map(({ index }) => index),
        {
          minLength: fragments.length,
        },
      );
      return order.map((indexes) => {
        const queues = all.map((_, index) => fragments.filter((one) => one.index === index));
        const rest = indexes.map((index) => call(index, queues[index]?.shift()?.text ?? ''));
        const tool_calls = all.map(({ given }, index) => ({
          id: `call_${index}`,
          type: 'function',
          function: { name: `tool_${index}`, arguments: given },
        }));
        return { pieces: [...begun, ...rest], whole: all.length === 0 ? {} : { tool_calls } };
      });
    });

  const answer = fc.tuple(thought, pieces, calls).map(([thoughts, texts, called]) => ({
    pieces: [...thoughts.pieces, ...texts.map((content) => ({ content })), ...called.pieces],
    whole: { ...thoughts.whole, content: texts.join(''), ...called.whole },
  }));

  it('is the answer in one piece, however it comes', async () => {
    await fc.assert(
      fc.asyncProperty(answer, fc.boolean(), async ({ pieces: said, whole }, showsThoughts) => {
        const rules = { ...RULES, showsThoughts };
        const { usage, ...message } = await assembled(written(said, rules).flat());
        const { usage: counts, ...sent } = messagesAnswer(wholeAnswer(whole), 'm', rules);
        // What a client reads has no integers of any size.
        const expected = JSON.parse(JSON.stringify(sent));
        // The client adds a member of its own to what it parses.
        expect(message).toEqual({ ...expected, parsed_output: null });
        const { input_tokens, output_tokens, cache_read_input_tokens, output_tokens_details } = counts;
        expect(usage).toMatchObject({
          input_tokens,
          output_tokens,
          cache_read_input_tokens,
          output_tokens_details,
        });
      }),
    );
  });

  it('has one block open at a time, counted from 0, in whatever order things come', () => {
    const piece = fc.oneof(
      words.map((content) => ({ content })),
      words.map((reasoning) => ({ reasoning })),
      detail.map((one) => ({ reasoning_details: [one] })),
      fc
        .tuple(fc.nat(2), words, fc.boolean())
        .map(([index, text, isNamed]) => call(index, text, isNamed ? 'look' : undefined)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (said) => {
        const events = written(said).flat();
        let open: number | undefined;
        let next = 0;
        for (const event of events) {
          if (event.type === 'content_block_start') {
            expect([open, event.index]).toEqual([undefined, next]);
            open = next++;
          } else if (event.type === 'content_block_delta') expect(event.index).toBe(open);
          else if (event.type === 'content_block_stop') {
            expect(event.index).toBe(open);
            open = undefined;
          }
        }
        expect(brief(events).slice(-2)).toEqual(['message_delta', 'message_stop']);
        expect(open).toBeUndefined();
        const textOf = (name: string) =>
          said
            .map((one) =>
              'content' in one && name === 'text'
                ? one.content
                : 'reasoning' in one && name === 'thinking'
                  ? one.reasoning
                  : '',
            )
            .join('');
        const sent = (name: string) =>
          events
            .map((event) => (event.type === 'content_block_delta' ? (event.delta[name] ?? '') : ''))
            .join('');
        expect([sent('text'), sent('thinking')]).toEqual([textOf('text'), textOf('thinking')]);
      }),
    );
  });

  it('takes a ping anywhere, even before the first event', async () => {
    const events = written([{ content: 'Hi' }]).flat();
    const PING: MessagesEvent = { type: 'ping' };
    const pinged = [PING, ...events.flatMap((event) => [event, PING])];
    expect((await assembled(pinged)).content).toMatchObject([{ type: 'text', text: 'Hi' }]);
  });
});
