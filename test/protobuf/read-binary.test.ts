import {
  create,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue,
  type Message,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { StructSchema } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChatRequestSchema } from '../../gen/byway/v1/chat_pb.js';
import { UpdateKeyRequestSchema } from '../../gen/byway/v1/keys_pb.js';
import { StructureCount, type StructureLimits } from '../../src/base/json/bounded/structure.js';
import { runToEnd } from '../../src/base/time-slices.js';
import { readLargeBinary } from '../../src/protobuf/bounded/large-binary.js';
import { readBinary } from '../../src/protobuf/bounded/read-binary.js';

const WIDE: StructureLimits = { containers: 1e6, values: 1e6, names: 1e6 };
const read = (desc: DescMessage, bytes: Uint8Array, limits = WIDE): Message =>
  runToEnd(readBinary(desc, bytes, new StructureCount(limits)));

/** A field whose content has a length. */
function field(number: number, ...content: readonly (Uint8Array | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((piece) => Buffer.from(piece as string)));
  const varint = (value: number): number[] =>
    value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
}

const struct = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }))
  .map((json) => JSON.parse(JSON.stringify(json)) as Record<string, JsonValue>)
  .filter((json) => !JSON.stringify(json).includes('__proto__'));

const text = fc.string({ unit: 'binary' });

const chat = fc.record(
  {
    model: text,
    models: fc.record({ values: fc.array(text) }),
    messages: fc.array(
      fc.record(
        {
          role: text,
          content: fc.oneof(
            text.map((text) => ({ text })),
            fc.array(fc.record({ type: text, extra: struct })).map((values) => ({ parts: { values } })),
          ),
          toolCalls: fc.array(fc.record({ index: fc.integer(), function: fc.record({ name: text }) })),
        },
        { requiredKeys: [] },
      ),
    ),
    stream: fc.boolean(),
    maxTokens: fc.integer(),
    temperature: fc.double({ noNaN: true, noDefaultInfinity: true }),
    provider: fc.record({ sort: fc.constantFrom('PROVIDER_SORT_PRICE', 'PROVIDER_SORT_LATENCY') }),
    extra: struct,
  },
  { requiredKeys: [] },
);

describe('protobuf that is read in slices', () => {
  it("is what the library's own reader reads", () => {
    fc.assert(
      fc.property(chat, (json) => {
        const bytes = toBinary(ChatRequestSchema, fromJson(ChatRequestSchema, json));
        expect(read(ChatRequestSchema, bytes)).toEqual(fromBinary(ChatRequestSchema, bytes));
      }),
    );
  });

  it('merges what is sent in two halves, as the library does', () => {
    fc.assert(
      fc.property(chat, chat, (one, other) => {
        const bytes = Buffer.concat(
          [one, other].map((json) => toBinary(ChatRequestSchema, fromJson(ChatRequestSchema, json))),
        );
        expect(read(ChatRequestSchema, bytes)).toEqual(fromBinary(ChatRequestSchema, bytes));
      }),
    );
  });

  it('is refused or read, and never anything else, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(read(UpdateKeyRequestSchema, bytes).$typeName).toBe(UpdateKeyRequestSchema.typeName);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(Error);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('has whole texts, however long they are and wherever they are cut', () => {
    for (const pad of ['', 'a', 'ab', 'abc']) {
      const model = `${pad}${'漢😀é'.repeat(60_000)}`;
      const bytes = toBinary(ChatRequestSchema, create(ChatRequestSchema, { model }));
      expect(read(ChatRequestSchema, bytes)).toMatchObject({ model });
    }
  });

  it.each([
    ['text that is not UTF-8', field(1, Buffer.of(0xc3, 0x28))],
    ['a long text that is not UTF-8', field(1, Buffer.alloc(300_000, 'é'), Buffer.of(0xc3))],
    ['a text longer than the message', Buffer.of(0x0a, 0x7f, 0x61)],
    ['a message longer than what it is in', field(2, Buffer.of(0x0a, 0x7f, 0x61))],
    ['a group without end', Buffer.of(0xc3, 0x3e)],
    ['the end of another group', Buffer.of(0xc3, 0x3e, 0xcc, 0x3e)],
    ['a value of a Struct that is none', field(18, field(1, field(1, 'x'), field(2)))],
    ['messages in messages without end', deep(200)],
  ])('%s is refused', (_, bytes) => {
    expect(() => read(ChatRequestSchema, bytes)).toThrow(Error);
  });

  it('drops unknown fields and those of another wire type', () => {
    const unknown = Buffer.concat([
      field(1000, 'text'),
      Buffer.of(0xc0, 0x3e, 1),
      Buffer.of(0xc3, 0x3e, 0xc0, 0x3e, 1, 0xc4, 0x3e),
      Buffer.of(0x08, 1),
    ]);
    const bytes = Buffer.concat([unknown, field(1, 'm'), field(3, unknown)]);
    const message = read(ChatRequestSchema, bytes);
    expect(toJson(ChatRequestSchema, message as never)).toEqual({ model: 'm', messages: [{}] });
    expect(JSON.stringify(message)).not.toContain('$unknown');
  });

  it('keeps a member named __proto__ as data', () => {
    const extra = field(18, field(1, field(1, '__proto__'), field(2, field(3, 'x'))));
    expect(JSON.stringify(read(ChatRequestSchema, extra))).toContain('"__proto__":"x"');
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (thrown) {
    return thrown;
  }
}

/** Lists in lists, as the values of a Struct. */
function deep(levels: number): Buffer {
  let value: Buffer = Buffer.alloc(0);
  for (let level = 0; level < levels; level += 1) value = field(1, field(6, value));
  return field(18, field(1, field(1, 'x'), field(2, field(6, value))));
}

describe('the structure of protobuf', () => {
  const refusal = { reason: 'invalid_request', violations: [{ field: '', rule: 'count' }] };
  const many = (count: number, piece: Uint8Array) => Buffer.alloc(count * piece.length, piece);
  const message = field(3, field(1, 'user'));

  it.each([
    ['messages', { containers: 101 }, (n: number) => many(n, message)],
    ['fields of a message', { values: 100 }, (n: number) => many(n, field(1, 'm'))],
    ['unknown fields', { values: 100 }, (n: number) => many(n, Buffer.of(0xc0, 0x3e, 1))],
    ['unknown texts', { values: 100 }, (n: number) => many(n, Buffer.of(0xc2, 0x3e, 0))],
    ['unknown groups', { containers: 101 }, (n: number) => many(n, Buffer.of(0xc3, 0x3e, 0xc4, 0x3e))],
    [
      'unknown fields of a group',
      { values: 101 },
      (n: number) =>
        Buffer.concat([Buffer.of(0xc3, 0x3e), many(n, Buffer.of(0xc0, 0x3e, 1)), Buffer.of(0xc4, 0x3e)]),
    ],
    ['names of a Struct', { names: 100 }, (n: number) => names(n)],
    ['members of a Struct', { values: 101 }, (n: number) => names(n)],
    [
      'elements of a list',
      { values: 102 },
      (n: number) =>
        field(18, field(1, field(1, 'x'), field(2, field(6, many(n, Buffer.of(0x0a, 2, 8, 0)))))),
    ],
  ] as const)('%s are counted, and the first one beyond the limit refused', (_, override, of) => {
    const limits = { ...WIDE, ...override };
    expect(read(ChatRequestSchema, of(100), limits)).toBeDefined();
    expect(thrownBy(() => read(ChatRequestSchema, of(101), limits))).toMatchObject(refusal);
  });

  function names(count: number): Buffer {
    const entries = Array.from({ length: count }, (_, i) =>
      field(1, field(1, `k${i}`), field(2, field(3, ''))),
    );
    return field(18, ...entries);
  }

  it('a Struct that is sent again and again costs no more each time', () => {
    const again = many(100_000, field(6, field(1, field(1, 'x'), field(2, field(3, 'y')))));
    const began = performance.now();
    expect(read(ChatRequestSchema, again)).toMatchObject({ streamOptions: { x: 'y' } });
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('is that of a Struct, where one is read', () => {
    expect(read(StructSchema, Buffer.alloc(0)).$typeName).toBe('google.protobuf.Struct');
  });
});

describe('protobuf whose lists are read lazily', () => {
  const limits = { containers: 10, values: 200, names: 10 };
  const each = { containers: 20, values: 40, names: 10 };
  const lazily = (bytes: Buffer) =>
    runToEnd(readLargeBinary(ChatRequestSchema, bytes, new StructureCount(limits), each));

  it('is what the library reads', () => {
    const long = field(3, field(1, 'user'), field(2, field(1, 'x'.repeat(100_000))));
    const bytes = Buffer.concat([
      field(1, 'm'),
      field(3, field(1, 'a')),
      long,
      field(13, field(1, 'function')),
    ]);
    const message = lazily(bytes);
    expect(JSON.parse(JSON.stringify(message))).toEqual(
      JSON.parse(JSON.stringify(fromBinary(ChatRequestSchema, bytes))),
    );
  });

  it('has limits for the whole and for each item', () => {
    const one = field(3, field(1, 'user'));
    expect(() => lazily(Buffer.concat(Array.from({ length: 201 }, () => one)))).toThrow('more than 200');
    const inner = Array.from({ length: 41 }, () => Buffer.of(0xc0, 0x3e, 1));
    expect(() => lazily(Buffer.concat([one, field(3, ...inner)]))).toThrow('more than 40');
  });

  it('is refused at once for a message that can not be read', () => {
    expect(() => lazily(Buffer.concat([field(3, field(1, 'a')), field(3, Buffer.of(0x0a, 9))]))).toThrow(
      Error,
    );
  });
});
