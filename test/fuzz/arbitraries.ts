/** Requests generated from the contract: mostly valid in shape, often with one violation. */
import { type DescField, type DescMessage, getOption, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { field as rules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import fc, { type Arbitrary } from 'fast-check';
import type { Role } from '../../gen/byway/options/v1/options_pb.js';
import { fieldRule, shapeOf } from '../../src/protobuf/shape.js';
import { enumSpellings } from '../../src/protobuf/spelling.js';
import type { Operation } from '../../src/rest/operation.js';

/** A request to an operation; `path` is below the REST root. */
export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Existing names, so that requests also get past look-ups. */
export interface KnownNames {
  readonly texts: readonly string[];
  /** Names that fit a field, by its name; other fields get any. */
  readonly byName?: Readonly<Record<string, readonly string[]>>;
  readonly credentials: readonly string[];
  /** Secrets that fit a role; other roles get any. */
  readonly byRole?: Readonly<Partial<Record<Role, string>>>;
}

const MAX_DEPTH = 6;

/** Arbitrary strings. */
export const junkText = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '../..',
    '%2e%2e',
    "'; DROP TABLE api_key; --",
    '\u{1F511}',
    '__proto__',
    'null',
  ),
);
/** Arbitrary JSON. */
export const junk: Arbitrary<JsonValue> = fc.oneof(
  junkText,
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom<JsonValue>(null, true, false, -1, 0, 1e308, [], {}, [null], { a: { b: [] } }),
  fc.jsonValue({ maxDepth: 3 }) as Arbitrary<JsonValue>,
);

/** A string for a field of this name. */
export type TextOf = (name: string) => Arbitrary<string>;

/** Mostly a known name, one that fits where possible. */
export function textsOf({ texts, byName = {} }: KnownNames): TextOf {
  const anything = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...texts) },
    { weight: 1, arbitrary: junkText },
  );
  return (name) => {
    const fitting = byName[name];
    if (fitting === undefined) return anything;
    return fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...fitting) },
      { weight: 1, arbitrary: anything },
    );
  };
}

/** An `Authorization` header, mostly of a permitted role. */
export function credential(
  { credentials, byRole = {} }: KnownNames,
  roles: readonly Role[],
): Arbitrary<string> {
  const fitting = roles.map((role) => byRole[role]).filter((known) => known !== undefined);
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...(fitting.length === 0 ? credentials : fitting)) },
    { weight: 1, arbitrary: fc.constantFrom(...credentials) },
    { weight: 1, arbitrary: fc.constantFrom('Bearer', 'Basic eDp5', `Bearer bw-v1-${'0'.repeat(64)}`) },
  );
}

/** Any request to the operation. */
export function requestTo(operation: Operation, known: KnownNames): Arbitrary<FuzzedRequest> {
  const textOf = textsOf(known);
  const text = textOf('');
  const path = fc
    .tuple(...operation.pathParameters.map(({ name }) => textOf(name)))
    .map((values) =>
      operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(lone(values.shift() ?? 'x')) || 'x'),
    );
  const parameters = fc.dictionary(
    fc.oneof(fc.constantFrom('offset', 'limit', ...operation.query.map(({ name }) => name)), junkText),
    fc.oneof(fc.constantFrom('0', '1', '-1', '1001', 'null', '', 'true', '2026-11-21T00:00:00Z'), text),
    { maxKeys: 3 },
  );
  // Operations without query parameters refuse all.
  const query = fc.oneof(
    { weight: operation.query.length === 0 ? 8 : 1, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: parameters },
  );
  const headers = fc.record({
    authorization: credential(known, operation.rule.roles),
    'content-type': fc.oneof(
      { weight: 8, arbitrary: fc.constant('application/json') },
      { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=latin1', 'x') },
    ),
  });
  const body =
    operation.body === undefined ? fc.constant(undefined) : bodyText(operation.body.message, textOf);
  return fc
    .record({ path, query, headers, body })
    .map(({ path: to, query: search, headers: sent, body: content }) => ({
      method: operation.httpMethod,
      path: `${to}${Object.keys(search).length === 0 ? '' : `?${new URLSearchParams(safe(search))}`}`,
      headers: sent,
      body: content,
    }));
}

function bodyText(desc: DescMessage, textOf: TextOf): Arbitrary<string> {
  return fc.oneof(
    { weight: 10, arbitrary: messageJson(desc, textOf, 0).map((json) => JSON.stringify(json)) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        fc.string(),
        junk.map((json) => JSON.stringify(json) ?? ''),
      ),
    },
  );
}

/** JSON for the message: mostly of the right shape. */
export function messageJson(desc: DescMessage, textOf: TextOf, depth: number): Arbitrary<JsonValue> {
  const shape = shapeOf(desc);
  if (depth > MAX_DEPTH) return junk;
  switch (shape.kind) {
    case 'struct':
      return fc.dictionary(junkText, junk, { maxKeys: 3 }) as Arbitrary<JsonValue>;
    case 'list':
      return valueJson(shape.items, textOf, depth);
    case 'union':
      return fc.oneof(...shape.oneof.fields.map((field) => valueJson(field, textOf, depth)));
    case 'object': {
      const members = shape.members.filter(({ rule }) => !rule.readOnly);
      const sound = someOf(
        new Map(members.map(({ name, field }) => [name, valueJson(field, textOf, depth + 1)])),
        members.filter(({ field }) => isRequired(field)).map(({ name }) => name),
      );
      const wrong = fc.tuple(
        sound,
        fc.oneof(fc.constantFrom(...members.map(({ name }) => name), 'x'), junkText),
        junk,
      );
      return fc.oneof(
        { weight: 3, arbitrary: sound as Arbitrary<JsonValue> },
        {
          weight: 1,
          arbitrary: wrong.map(([json, name, value]) => ({ ...json, [name]: value }) as JsonValue),
        },
      );
    }
  }
}

/** Objects with the required members and few others: with many, one of them is nearly always invalid. */
export function someOf(
  members: ReadonlyMap<string, Arbitrary<JsonValue>>,
  required: readonly string[],
): Arbitrary<Record<string, JsonValue>> {
  const optional = [...members.keys()].filter((name) => !required.includes(name));
  return fc
    .oneof(
      { weight: 4, arbitrary: fc.subarray(optional, { maxLength: Math.min(2, optional.length) }) },
      { weight: 1, arbitrary: fc.subarray(optional) },
    )
    .chain((chosen) => {
      const names = new Set([...required, ...chosen]);
      return fc.record(Object.fromEntries([...members].filter(([name]) => names.has(name))));
    });
}

/** Whether a message is hardly ever valid without the field. */
export function isRequired(field: DescField): boolean {
  if (fieldRule(field).readOnly) return false;
  const { required, type } = getOption(field, rules);
  if (required || (type.case === 'repeated' && type.value.minItems > 0n)) return true;
  // A chat names one model or several.
  if (field.name === 'model') return true;
  return field.fieldKind === 'scalar' && !field.proto.proto3Optional;
}

function valueJson(field: DescField, textOf: TextOf, depth: number): Arbitrary<JsonValue> {
  switch (field.fieldKind) {
    case 'message':
      return messageJson(field.message, textOf, depth);
    case 'enum':
      return fc.constantFrom(...enumSpellings(field.enum));
    case 'scalar':
      return scalarJson(field.scalar, textOf(field.name));
    case 'list': {
      const item =
        field.listKind === 'message'
          ? messageJson(field.message, textOf, depth + 1)
          : field.listKind === 'enum'
            ? fc.constantFrom(...enumSpellings(field.enum))
            : scalarJson(field.scalar, textOf(field.name));
      return fc.array(item, { maxLength: 4 });
    }
    case 'map':
      return junk;
  }
}

function scalarJson(scalar: ScalarType, text: Arbitrary<string>): Arbitrary<JsonValue> {
  if (scalar === ScalarType.STRING) return text;
  if (scalar === ScalarType.BOOL) return fc.boolean();
  if (scalar === ScalarType.DOUBLE)
    return fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom<JsonValue>(0, 0.5, 1, 25) },
      { weight: 1, arbitrary: fc.constantFrom<JsonValue>(1.5, 1e9, 1e-9) },
      { weight: 1, arbitrary: fc.double({ noNaN: true }) },
    );
  return fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 120 }) },
    { weight: 1, arbitrary: fc.integer() },
  );
}

/** Text that a URL can carry: no lone surrogates. */
function lone(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

function safe(search: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(search).map(([name, value]) => [lone(name), lone(value)]));
}
