import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/formats/json.js';
import type { UpstreamEvent } from '../../../src/inference/ports/adapter.js';
import { type DataReader, MAX_EVENT_CHARACTERS, SseDecoder } from '../../../src/providers/http/sse.js';
import { ChunkReader } from '../../../src/providers/openai/chat/events.js';
import { chunk, eventsOf, startTable, textIn } from './adapter.fixture.js';

interface ServerSentEvent {
  readonly data: string;
  readonly isWhole: boolean;
}

/** A decoder that only records the data. */
function recorder(): { decoder: SseDecoder; read: ServerSentEvent[] } {
  const read: ServerSentEvent[] = [];
  const reader: DataReader = { isDone: false, read: (_, data, isWhole) => void read.push({ data, isWhole }) };
  return { decoder: new SseDecoder(reader), read };
}

function read(bytes: Uint8Array, cuts: readonly number[]): ServerSentEvent[] {
  const recorded = recorder();
  const ends = [...new Set(cuts)].sort((a, b) => a - b);
  let start = 0;
  for (const end of [...ends, bytes.length]) {
    recorded.decoder.take(Buffer.from(bytes.subarray(start, end)), []);
    start = end;
  }
  recorded.decoder.end([]);
  return recorded.read;
}

function streamText(end: string): string {
  const data = [
    chunk({ content: 'Grüezi 👋🏽' }),
    chunk({ content: '\u2028\n"' }),
    chunk({}, 'stop'),
    'last',
  ];
  const texts = data.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  return `\uFEFF: hello${end}${end}${texts.map((text) => `event: x${end}data: ${text}${end}${end}`).join('')}`;
}

describe('server-sent events', () => {
  it.each(['\n', '\r\n', '\r'])(
    'are the same wherever their bytes are cut, with line end %j',
    async (end) => {
      const bytes = new TextEncoder().encode(streamText(end));
      const whole = read(bytes, []);
      expect(whole.map(({ data }) => data).at(-1)).toBe('last');
      expect(whole).toHaveLength(4);
      const texts = (events: ServerSentEvent[]) => events.map(({ data }) => data);
      for (let cut = 0; cut <= bytes.length; cut += 1)
        expect(texts(read(bytes, [cut]))).toEqual(texts(whole));
      const cuts = fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 60 });
      await fc.assert(
        fc.asyncProperty(cuts, async (some) => {
          expect(texts(read(bytes, some))).toEqual(texts(whole));
        }),
      );
    },
  );

  it('hold data over several lines, and a last event without its blank line', async () => {
    const bytes = new TextEncoder().encode('data: {"a":\ndata: 1}\n\nid: 7\nretry: 5\ndata:x');
    expect(read(bytes, [])).toEqual([
      { data: '{"a":\n1}', isWhole: true },
      { data: 'x', isWhole: false },
    ]);
  });

  it('end with [DONE], whatever comes behind it', () => {
    const { decoder, read: told } = recorder();
    decoder.take(Buffer.from('data: 1\n\ndata: [DONE]\n\ndata: 2\n\n'), []);
    expect(decoder.isDone).toBe(true);
    expect(told).toEqual([{ data: '1', isWhole: true }]);
  });

  it('may begin with a byte order mark', () => {
    const bytes = new TextEncoder().encode('\uFEFFdata: x\n\n');
    for (const cuts of [[], [1], [2], [3], [4]])
      expect(read(bytes, cuts)).toEqual([{ data: 'x', isWhole: true }]);
  });

  it('fail at an event that is too long, instead of filling the memory', async () => {
    const { decoder } = recorder();
    const endless = () => {
      for (;;) decoder.take(Buffer.alloc(1024 * 1024, 'data: x'), []);
    };
    expect(endless).toThrow(expect.objectContaining({ error: 'malformed' }));
    expect(MAX_EVENT_CHARACTERS).toBeGreaterThan(1024 * 1024);
  });
});

function readAll(...chunks: readonly object[]): UpstreamEvent[] {
  const reader = new ChunkReader();
  return chunks.flatMap((each) => reader.read(JSON.parse(JSON.stringify(each))));
}

describe('the chunks of a stream', () => {
  it('become our events: role by the gateway, usage after the finish, fingerprint once', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2 };
    const more = { system_fingerprint: 'fp', usage: null };
    expect(
      readAll(
        chunk({ role: 'assistant', content: '' }, null, more),
        chunk({ content: 'Hi' }, null, more),
        chunk({}, 'stop', more),
        { choices: [], usage },
      ),
    ).toEqual([
      { type: 'fingerprint', fingerprint: 'fp' },
      { type: 'delta', index: 0, delta: {} },
      { type: 'delta', index: 0, delta: { content: 'Hi' } },
      { type: 'finish', index: 0, reason: 'stop', nativeReason: 'stop' },
      { type: 'usage', usage: { promptTokens: 3, completionTokens: 2 } },
    ]);
  });

  it('may bring text and finish together, and the usage with them', () => {
    const events = readAll(chunk({ content: 'Hi' }, 'length', { usage: { prompt_tokens: 1 } }));
    expect(events.map(({ type }) => type)).toEqual(['delta', 'finish', 'usage']);
  });

  it.each([
    ['reasoning_content', { reasoning_content: 'Hm' }],
    ['reasoning', { reasoning: 'Hm' }],
    ['parts', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }],
  ])('hold reasoning as %s', (_, delta) => {
    expect(readAll(chunk(delta))).toEqual([{ type: 'delta', index: 0, delta: { reasoning: 'Hm' } }]);
  });

  it('hold text in parts', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(readAll(chunk({ content }))).toEqual([{ type: 'delta', index: 0, delta: { content: 'ab' } }]);
  });

  it('keep several choices apart', () => {
    const both = { choices: [0, 1].map((index) => ({ index, delta: { content: `${index}` } })) };
    const ends = { choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] };
    expect(readAll(both, ends)).toMatchObject([
      { type: 'delta', index: 0, delta: { content: '0' } },
      { type: 'delta', index: 1, delta: { content: '1' } },
      { type: 'finish', index: 1 },
    ]);
  });

  it('pass on logprobs and members that are not named, but no nulls', () => {
    const raw = {
      choices: [{ delta: { audio: { id: 'a' }, function_call: null }, logprobs: { content: [] } }],
    };
    expect(readAll(raw)).toEqual([
      { type: 'delta', index: 0, delta: { audio: { id: 'a' } }, logprobs: { content: [], refusal: null } },
    ]);
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['tool_calls', 'stop'],
    ['function_call', 'stop'],
    ['content_filter', 'content_filter'],
    ['end_of_sequence', 'stop'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['content_filter: RECITATION', 'content_filter'],
    ['of: nothing known', 'stop'],
  ])('finish by %s as %s', (native, reason) => {
    expect(readAll(chunk({}, native)).at(-1)).toEqual({
      type: 'finish',
      index: 0,
      reason,
      nativeReason: native,
    });
  });

  it.each(['stop', 'tool_calls', 'function_call'])('finish by %s beside calls as tool_calls', (native) => {
    const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } };
    const reason = { reason: 'tool_calls', nativeReason: native };
    expect(readAll(chunk({ tool_calls: [call] }), chunk({}, native)).at(-1)).toMatchObject(reason);
  });

  it.each(['error', 'insufficient_system_resource', 'function_call_filter: MALFORMED_FUNCTION_CALL'])(
    'that finish by %s are a broken answer',
    (native) => {
      expect(() => readAll(chunk({}, native))).toThrow('before it was complete');
    },
  );

  it('may be unusual: no choices, no delta, empty reasons, filter results before and after the answer', () => {
    const filters = { choices: [], prompt_filter_results: [{}], id: '', model: '' };
    const late = { choices: [{ index: 0, content_filter_results: {}, finish_reason: null }], id: '' };
    const strange = [{}, { choices: null }, { choices: [null] }, { choices: 'x' }];
    const events = readAll(filters, ...strange, chunk({ content: 'Hi' }), chunk({ content: '' }, ''), late);
    expect(textIn([...events, ...readAll(chunk(undefined))])).toBe('Hi');
    const end = readAll(chunk({ content: 'Hi' }, 'stop'), late, chunk({ content: 'more' }, 'stop'));
    expect(end.map(({ type }) => type)).toEqual(['delta', 'finish']);
  });

  it('never throw anything but failures, whatever JSON they are', () => {
    fc.assert(
      fc.property(fc.array(fc.json()), (texts) => {
        for (const text of texts) {
          const delta = parseJson(text);
          for (const each of [
            { choices: delta },
            { choices: [delta] },
            { choices: [{ delta }] },
            { usage: delta },
          ]) {
            expect(readAll(each)).toBeInstanceOf(Array);
          }
        }
      }),
    );
  });
});

describe('a stream over the network', () => {
  it.each([
    ['byte by byte', { splitBytes: 1 }],
    ['with CRLF', { lineEnd: '\r\n', splitBytes: 7 }],
    ['with CR', { lineEnd: '\r', splitBytes: 5 }],
    ['with comments', { comment: 'keep-alive' }],
    ['without [DONE]', { isDoneMissing: true }],
    ['without the last blank line', { isBlankLineMissing: true, isDoneMissing: true }],
    ['with a connection left open after [DONE]', { isLeftOpen: true }],
  ] as const)('is the same %s', async (_, plan) => {
    const sound = await startTable();
    const { events: expected } = await sound.stream();
    const { stream } = await startTable(plan);
    const { events, thrown } = await stream();
    expect(thrown).toBeUndefined();
    expect(events).toEqual(expected);
    expect(textIn(events)).toBe('Grüezi mitenand 👋🏽!');
  });

  it('reports its first byte after a successful status, before the first event', async () => {
    const told: string[] = [];
    const { adapter, call } = await startTable();
    for await (const { type } of adapter.stream(call({ onFirstByte: () => told.push('byte') })))
      told.push(type);
    expect(told.slice(0, 2)).toEqual(['byte', 'fingerprint']);
    const { stream } = await startTable({ status: 500 });
    await stream({ onFirstByte: () => told.push('wrong') });
    expect(told).not.toContain('wrong');
  });

  it('gives up at once when its signal is aborted, before and after the head', async () => {
    for (const plan of [{ delayMs: 60_000 }, { stallAfter: 2 }]) {
      const { adapter, call } = await startTable(plan);
      const controller = new AbortController();
      const reason = new Error('enough');
      const events = eventsOf(adapter.stream(call({ signal: controller.signal })));
      setImmediate(() => controller.abort(reason));
      expect((await events).thrown).toBe(reason);
    }
  });
});
