/** Published bodies against what the doors take: neither may promise more or less than the other. */
import { create, type JsonObject, type JsonValue, type Message } from '@bufbuild/protobuf';
import { createValidator } from '@bufbuild/protovalidate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileOperations } from '../../src/rest/compile.js';
import type { Body, Operation } from '../../src/rest/operation.js';
import { restFieldPath } from '../../src/wire/field-path.js';
import { membersOf } from '../../src/wire/members.js';
import { readMessage } from '../../src/wire/read.js';
import { writeMessage } from '../../src/wire/write.js';
import { launchGateway } from '../support/gateway.js';
import { asObject, resolve, schemaFaults } from '../support/json-schema.js';
import { contentOf, published, publishedAnswer } from './published.js';

const validator = createValidator();

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let operations: readonly Operation[];
let document: JsonObject;

beforeAll(async () => {
  gateway = await launchGateway();
  operations = compileOperations(gateway.gateway.services.map(({ service }) => service));
  document = asObject(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
});
afterAll(() => gateway.stop());

describe('every example', () => {
  it('of a body is taken by the door, which loses nothing of it', () => {
    for (const { operation, body, example } of bodies()) {
      expect([operation.id, refusals(operation, body, example)]).toEqual([operation.id, []]);
      const read = readMessage(body.message, example, { without: body.without });
      if (!read.ok) throw new Error(operation.id);
      expect(writeMessage(body.message, read.message)).toMatchObject(example);
    }
  });

  it('fits its schema', () => {
    for (const operation of operations) {
      const answer = publishedAnswer(document, operation, operation.successStatus);
      const types = Object.keys(asObject(answer?.content));
      for (const { schema, example } of types.map((type) => contentOf(answer, type))) {
        expect([operation.id, schemaFaults(document, schema, example ?? null)]).toEqual([operation.id, []]);
      }
    }
    for (const [name, response] of Object.entries(asObject(asObject(document.components).responses))) {
      const { schema, example } = contentOf(asObject(response));
      if (example !== undefined) {
        expect([name, schemaFaults(document, schema, example)]).toEqual([name, []]);
      }
    }
  });
});

describe('the published schema of a body', () => {
  it('admits what the door takes and nothing else, member by member', () => {
    const disagreements = bodies().flatMap(({ operation, body, schema, example }) =>
      variants(schema, example).flatMap((json) => {
        const faults = schemaFaults(document, schema, json);
        const refused = refusals(operation, body, json);
        const agree = faults.length > 0 === refused.length > 0;
        return agree ? [] : [{ id: operation.id, json: JSON.stringify(json).slice(0, 200), faults, refused }];
      }),
    );
    expect(disagreements).toEqual([]);
  });
});

interface PublishedBody {
  readonly operation: Operation;
  readonly body: Body;
  readonly schema: JsonObject;
  readonly example: JsonObject;
}

function bodies(): PublishedBody[] {
  return operations.flatMap((operation) => {
    if (operation.body === undefined) return [];
    const { schema, example } = contentOf(asObject(published(document, operation).requestBody));
    return [{ operation, body: operation.body, schema: asObject(schema), example: asObject(example) }];
  });
}

/** What the door says against the body, but for the rules that only services know. */
function refusals({ method, pathParameters }: Operation, body: Body, json: JsonValue): string[] {
  const read = readMessage(body.message, json, { without: body.without });
  if (!read.ok) return read.violations.map(({ field, rule }) => `${field} ${rule}`);
  let request: Message = read.message;
  if (body.field !== undefined) {
    request = create(method.input);
    membersOf(request)[body.field.localName] = read.message;
  }
  const { violations = [], kind, error } = validator.validate(method.input, request);
  if (kind === 'error') throw error;
  const fromPath = new Set(pathParameters.map(({ name }) => name));
  return violations
    .map(({ field, ruleId }) => ({ name: restFieldPath(field, method), ruleId }))
    .filter(({ name }) => !fromPath.has(name))
    .map(({ name, ruleId }) => `${name} ${ruleId}`);
}

const VALUES: readonly JsonValue[] = [
  ...[null, true, false, 0, 1, -1, 2, 100, 1000, 1001, 0.5, 3e9, 2e9, ''],
  ...['x', 'daily', 'deny', 'price', 'a-b', 'A_B', 'user', 'x'.repeat(64), 'x'.repeat(300), 'x'.repeat(2000)],
  ...[[], ['x'], [''], [1], [null], [{}], [{ type: 'text' }], [{ role: 'user' }], Array(101).fill('x')],
  ...[{}, { x: 1 }, { type: 'text' }, { number: 1 }],
];

/** The example without each member, with each value in place of each member of the schema, and with strange members. */
function variants(schema: JsonObject, example: JsonObject): JsonValue[] {
  const names = Object.keys(asObject(resolve(document, schema).properties));
  return [
    ...VALUES,
    {},
    { ...example, stranger: 1 },
    ...names.map((name) => Object.fromEntries(Object.entries(example).filter(([other]) => other !== name))),
    ...names.flatMap((name) =>
      memberVariants(resolve(document, schema), name).map((value) => ({ ...example, [name]: value })),
    ),
  ];
}

/** Members that are objects vary within, too. */
function memberVariants(schema: JsonObject, name: string): readonly JsonValue[] {
  const inner = resolve(document, asObject(schema.properties)[name]);
  const [form] = Array.isArray(inner.anyOf) ? inner.anyOf.map((each) => resolve(document, each)) : [inner];
  if (form?.properties === undefined) return VALUES;
  return [...VALUES, ...variants(form, {})];
}
