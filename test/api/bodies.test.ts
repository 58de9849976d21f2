/** Checks the schemas of bodies against what REST accepts: neither may allow more than the other. */
import { readFileSync } from 'node:fs';
import { create, type JsonObject, type JsonValue, type Message } from '@bufbuild/protobuf';
import { createValidator } from '@bufbuild/protovalidate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Role } from '../../gen/byway/options/v1/options_pb.js';
import { restFieldPath } from '../../src/protobuf/field-path.js';
import { fieldMembersOf } from '../../src/protobuf/members.js';
import { readMessage } from '../../src/protobuf/read.js';
import { writeMessage } from '../../src/protobuf/write.js';
import { compileOperations } from '../../src/rest/compile.js';
import type { Body, Operation } from '../../src/rest/operation.js';
import { NOBODY } from '../../src/rpc/caller.js';
import { launchGateway } from '../support/gateway.js';
import { asObject, resolve, schemaViolations } from '../support/json-schema.js';
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
  it('of a body is accepted by REST without losing any member', async () => {
    for (const { operation, body, example } of bodies()) {
      expect([operation.id, await refusals(operation, body, example)]).toEqual([operation.id, []]);
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
        expect([operation.id, schemaViolations(document, schema, example ?? null)]).toEqual([
          operation.id,
          [],
        ]);
      }
    }
    for (const [name, response] of Object.entries(asObject(asObject(document.components).responses))) {
      const { schema, example } = contentOf(asObject(response));
      if (example !== undefined) {
        expect([name, schemaViolations(document, schema, example)]).toEqual([name, []]);
      }
    }
  });
});

describe('the published schema of a body', () => {
  it('allows what REST accepts and nothing else, member by member, but for rules that no schema can express', async () => {
    const disagreements = [];
    for (const { operation, body, schema, example } of bodies()) {
      for (const json of variants(schema, example)) {
        const violations = schemaViolations(document, schema, json);
        const refused = await refusals(operation, body, json);
        if (violations.length > 0 === refused.length > 0) continue;
        disagreements.push({
          id: operation.id,
          json: JSON.stringify(json).slice(0, 200),
          violations,
          refused,
        });
      }
    }
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

/** The rules that schemas can't express; the configuration of schemathesis lists them with reasons. */
const INEXPRESSIBLE = new Set(
  [...readFileSync('test/schemathesis/schemathesis.toml', 'utf8').matchAll(/^"(.+)" = /gm)].map(
    ([, name]) => name,
  ),
);

/** The violations that REST and the service find in the body, but for rules that a schema can't express. */
async function refusals(operation: Operation, body: Body, json: JsonValue): Promise<string[]> {
  const { method, pathParameters } = operation;
  const read = readMessage(body.message, json, { without: body.without });
  if (!read.ok) return read.violations.map(({ field, rule }) => `${field} ${rule}`);
  let request: Message = read.message;
  if (body.field !== undefined) {
    request = create(method.input);
    fieldMembersOf(request)[body.field.localName] = read.message;
  }
  const { violations = [], kind, error } = validator.validate(method.input, request);
  if (kind === 'error') throw error;
  const fromPath = new Set(pathParameters.map(({ name }) => name));
  const contract = violations
    .map(({ field, ruleId }) => ({ name: restFieldPath(field, method), ruleId }))
    .filter(({ name }) => !fromPath.has(name))
    .map(({ name, ruleId }) => `${name} ${ruleId}`);
  return contract.length > 0 ? contract : checked(operation, request);
}

async function checked({ method, rule }: Operation, request: Message): Promise<string[]> {
  const definition = gateway.gateway.services.find(({ service }) => service === method.parent);
  const { checks, ofInvalid } = definition ?? {};
  const all = [checks?.[method.localName], ofInvalid?.[method.localName]];
  const key = rule.roles.includes(Role.MANAGEMENT_KEY) ? gateway.managementKey : gateway.apiKey;
  const principal = await gateway.gateway.authenticator.authenticate(`Bearer ${key}`, Date.now());
  const violations = await Promise.all(all.map((check) => check?.(request, { ...NOBODY, principal }) ?? []));
  return violations
    .flat()
    .map(({ field, rule: broken }) => `${field} ${broken}`)
    .filter((name) => !INEXPRESSIBLE.has(name.replaceAll(/\[\d+\]/g, '[]')));
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

/** Members that are objects are varied inside, too. */
function memberVariants(schema: JsonObject, name: string): readonly JsonValue[] {
  const inner = resolve(document, asObject(schema.properties)[name]);
  const [form] = Array.isArray(inner.anyOf) ? inner.anyOf.map((each) => resolve(document, each)) : [inner];
  if (form?.properties === undefined) return VALUES;
  return [...VALUES, ...variants(form, {})];
}
