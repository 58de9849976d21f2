/** Messages of RPCs generated from the contract: mostly valid in shape, often corrupted. */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf';
import fc, { type Arbitrary } from 'fast-check';
import { enumSpellings } from '../../src/protobuf/spelling.js';
import { isRequired, junk, junkText, someOf, type TextOf } from './arbitraries.js';

const MAX_DEPTH = 4;

/** The bytes of a message of the type in JSON, or invalid ones. */
export function jsonMessage(desc: DescMessage, textOf: TextOf): Arbitrary<Buffer> {
  return fc
    .tuple(message(desc, textOf, 0), fc.oneof({ weight: 3, arbitrary: fc.constant(asIs) }, brokenText))
    .map(([json, breakIt]) => breakIt(Buffer.from(JSON.stringify(json))));
}

/** The bytes of a message of the type in protobuf, or invalid ones. */
export function binaryMessage(desc: DescMessage, textOf: TextOf): Arbitrary<Buffer> {
  return fc
    .tuple(message(desc, textOf, 0), fc.oneof({ weight: 3, arbitrary: fc.constant(asIs) }, brokenBytes))
    .map(([json, breakIt]) => breakIt(serialized(desc, json)));
}

type Breaker = (bytes: Buffer) => Buffer;

const asIs: Breaker = (bytes) => bytes;

/** JSON that is no message is sent as an empty one. */
function serialized(desc: DescMessage, json: JsonValue): Buffer {
  try {
    return Buffer.from(toBinary(desc, fromJson(desc, json, { ignoreUnknownFields: true })));
  } catch {
    return Buffer.alloc(0);
  }
}

const brokenText: Arbitrary<Breaker> = fc.oneof(
  truncated(),
  fc.constantFrom<Breaker>(
    (bytes) => Buffer.concat([bytes, bytes]),
    (bytes) => Buffer.concat([Buffer.from('\ufeff'), bytes]),
    (bytes) => Buffer.from(bytes.toString('utf8').replace(/^\{/, '{"name":"a","name":"b",')),
    (bytes) => Buffer.from(bytes.toString('utf8').replace(/"([^"]*)"/, '"$1\\u0000\\ud800"')),
    (bytes) => Buffer.from(bytes.toString('utf8').replace(/\d+/, '1e999')),
    (bytes) => Buffer.from(bytes.toString('utf8').replace(/"[^"]*"(?=[,}])/, `[${'1,'.repeat(3000)}1]`)),
    (bytes) => Buffer.from(bytes.toString('utf8').replace(/:/, `:${'['.repeat(2000)}`)),
    () => Buffer.alloc(0),
  ),
  inserted(Buffer.from([0xff, 0xc3, 0x28])),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => () => Buffer.from(bytes)),
);

const brokenBytes: Arbitrary<Breaker> = fc.oneof(
  truncated(),
  fc.constantFrom<Breaker>(
    (bytes) => Buffer.concat([bytes, bytes]),
    // Unknown fields: a varint, a string, a fixed length, a closed group, an open one, very many of them.
    (bytes) => Buffer.concat([bytes, Buffer.from([0xc0, 0x3e, 0x01, 0xc2, 0x3e, 0x02, 0x41, 0x42])]),
    (bytes) => Buffer.concat([bytes, Buffer.from([0xc1, 0x3e, 1, 2, 3, 4, 5, 6, 7, 8])]),
    (bytes) => Buffer.concat([bytes, Buffer.from([0xc3, 0x3e, 0xc4, 0x3e])]),
    (bytes) => Buffer.concat([bytes, Buffer.alloc(2000, 0xc3)]),
    (bytes) => Buffer.concat([bytes, Buffer.alloc(3000, Buffer.from([0xc0, 0x3e, 0x01]))]),
    // Field number 0, an unknown wire type, a length of 4 GiB, a varint of too many bytes.
    (bytes) => Buffer.concat([bytes, Buffer.from([0x00, 0x01])]),
    (bytes) => Buffer.concat([bytes, Buffer.from([0x0f])]),
    (bytes) => Buffer.concat([bytes, Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])]),
    (bytes) => Buffer.concat([bytes, Buffer.alloc(12, 0xff)]),
    // A string that is not UTF-8, and one with a NUL, in the first fields.
    (bytes) => Buffer.concat([bytes, Buffer.from([0x0a, 0x02, 0xc3, 0x28])]),
    (bytes) => Buffer.concat([bytes, Buffer.from([0x0a, 0x03, 0x61, 0x00, 0x62, 0x12, 0x01, 0x00])]),
  ),
  inserted(Buffer.from([0x1f, 0x80, 0x00])),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => () => Buffer.from(bytes)),
);

function truncated(): Arbitrary<Breaker> {
  return fc.double({ min: 0, max: 1, noNaN: true }).map((part) => (bytes) => {
    return bytes.subarray(0, Math.floor(bytes.length * part));
  });
}

function inserted(what: Buffer): Arbitrary<Breaker> {
  return fc.double({ min: 0, max: 1, noNaN: true }).map((part) => (bytes) => {
    const at = Math.floor(bytes.length * part);
    return Buffer.concat([bytes.subarray(0, at), what, bytes.subarray(at)]);
  });
}

/** In the JSON format of RPCs. */
function message(desc: DescMessage, textOf: TextOf, depth: number): Arbitrary<JsonValue> {
  const wellKnown = WELL_KNOWN.get(desc.typeName);
  if (wellKnown !== undefined) return wellKnown;
  if (depth > MAX_DEPTH) return fc.constant({});
  const sound = someOf(
    new Map(desc.fields.map((field) => [field.jsonName, fieldValue(field, textOf, depth)])),
    desc.fields.filter(isRequired).map(({ jsonName }) => jsonName),
  );
  const names = fc.constantFrom(...desc.fields.map(({ jsonName }) => jsonName), 'nothing');
  const wrong = fc.tuple(sound, names, junk).map(([json, name, value]) => ({ ...json, [name]: value }));
  return fc.oneof({ weight: 4, arbitrary: sound }, { weight: 1, arbitrary: wrong });
}

const WELL_KNOWN: ReadonlyMap<string, Arbitrary<JsonValue>> = new Map<string, Arbitrary<JsonValue>>([
  [
    'google.protobuf.Struct',
    fc.dictionary(junkText, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 }) as Arbitrary<JsonValue>,
  ],
  ['google.protobuf.Value', junk],
  ['google.protobuf.ListValue', fc.array(junk, { maxLength: 3 })],
  [
    'google.protobuf.Timestamp',
    fc.constantFrom<JsonValue>(
      ...Array.from({ length: 12 }, (_, year) => `${2090 + year}-01-01T00:00:00Z`),
      '2020-02-30T00:00:00Z',
      '0000-00-00T00:00:00Z',
      '9999-12-31T23:59:59.999999999Z',
      '0001-01-01T00:00:00Z',
      'x',
    ),
  ],
  ['google.protobuf.Duration', fc.constantFrom<JsonValue>('1s', '-1.5s', '315576000000s', 'x')],
  ['google.protobuf.FieldMask', fc.constantFrom<JsonValue>('', 'name', 'name,disabled', 'nothing', 'a.b.c')],
]);

function fieldValue(field: DescField, textOf: TextOf, depth: number): Arbitrary<JsonValue> {
  switch (field.fieldKind) {
    case 'message':
      return message(field.message, textOf, depth + 1);
    case 'enum':
      return enumValue(field.enum);
    case 'scalar':
      return scalarValue(field.scalar, textOf(field.name));
    case 'list': {
      const item =
        field.listKind === 'message'
          ? message(field.message, textOf, depth + 1)
          : field.listKind === 'enum'
            ? enumValue(field.enum)
            : scalarValue(field.scalar, textOf(field.name));
      return fc.array(item, { maxLength: 4 });
    }
    case 'map':
      return fc.dictionary(textOf(''), junk, { maxKeys: 3 }) as Arbitrary<JsonValue>;
  }
}

function enumValue(desc: DescEnum): Arbitrary<JsonValue> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<JsonValue>(...desc.values.slice(1).map(({ name }) => name)) },
    { weight: 1, arbitrary: fc.constantFrom<JsonValue>(...enumSpellings(desc)) },
    { weight: 1, arbitrary: fc.constantFrom<JsonValue>(0, 1, 99, -1, 'NO_SUCH_WORD') },
  );
}

function scalarValue(scalar: ScalarType, text: Arbitrary<string>): Arbitrary<JsonValue> {
  if (scalar === ScalarType.STRING) return text;
  if (scalar === ScalarType.BOOL) return fc.boolean();
  if (scalar === ScalarType.BYTES) return fc.base64String({ maxLength: 40 });
  if (scalar === ScalarType.DOUBLE || scalar === ScalarType.FLOAT) {
    return fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom<JsonValue>(0, 0.5, 1, 25) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<JsonValue>(1e9, 1e-10, 'NaN', 'Infinity', '-Infinity', '1e400'),
      },
      { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
    );
  }
  const odd = [-1, 2 ** 31, 2 ** 53, '9223372036854775807', '9223372036854775808', 1.5];
  return fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 120 }) },
    { weight: 1, arbitrary: fc.constantFrom<JsonValue>(...odd) },
  );
}
