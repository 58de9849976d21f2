import { create, type DescMethod, type JsonValue, type Message } from '@bufbuild/protobuf';
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt';
import type { FastifyRequest } from 'fastify';
import { invalid, notFound, type Violation } from '../base/problem.js';
import { brokenBody } from '../http/body.js';
import { fieldMembersOf } from '../protobuf/members.js';
import { type QueryReader, queryReader } from '../protobuf/query.js';
import { type ReadResult, readMessageInSteps } from '../protobuf/read.js';
import { enumNumber, enumWanted } from '../protobuf/spelling.js';
import { ViolationList } from '../protobuf/violations.js';
import type { Operation, PathParameter } from './operation.js';

/** A call of the RPC core. */
export interface RpcCall {
  /** The operation's method, or its streaming partner. */
  readonly method: Operation['method'];
  readonly message: Message;
}

/** Reads a request, yielding where it may be interrupted. */
export type RequestReader = (
  request: FastifyRequest,
  json: JsonValue | undefined,
) => Generator<void, RpcCall>;

/**
 * The reader of the operation's requests: path, query and the JSON of the body become the request message, and the
 * members present become the mask. It yields where it may be interrupted, and throws a Problem: 404 for a path variable
 * that can name nothing, 400 with every violation of path, query and body at once.
 */
export function requestReader(operation: Operation): RequestReader {
  const { rule, query, stream } = operation;
  const readQuery: QueryReader = queryReader(query, { ignoresUnknown: rule.ignoresUnknownQuery });
  return function* (request, json) {
    const violations = new ViolationList();
    const path = operation.pathParameters.map((parameter) =>
      readPathParameter(operation, parameter, request.params, violations),
    );
    const fromQuery = readQuery(searchOf(request.url));
    const body = yield* readBody(operation, json);
    const all = [...violations.violations, ...violationsOf(fromQuery), ...violationsOf(body)];
    if (all.length > 0 || !fromQuery.ok || !body.ok) throw invalid(all);
    const streams = stream !== undefined && fieldMembersOf(body.message)[stream.member.localName] === true;
    const method = streams ? stream.method : operation.method;
    const message = composeMessage(operation, method, body);
    Object.assign(fieldMembersOf(message), fromQuery.values);
    for (const [index, { fields }] of operation.pathParameters.entries()) setAt(message, fields, path[index]);
    return { method, message };
  };
}

/**
 * An unknown word of an enum names no resource (404), but in a PUT, which would create the resource, it breaks a rule
 * (400). A text with a null character names none either, since no database stores it.
 */
function readPathParameter(
  { httpMethod }: Operation,
  parameter: PathParameter,
  params: unknown,
  violations: ViolationList,
): unknown {
  // The route was registered with this parameter, and Fastify gives its text.
  const text = (params as Readonly<Record<string, string>>)[parameter.name] ?? '';
  if (text.includes('\u0000')) throw notFound();
  if (parameter.enum === undefined) return text;
  const value = enumNumber(parameter.enum, text);
  if (value !== undefined) return value;
  if (httpMethod !== 'PUT') throw notFound();
  return violations.add(parameter.name, 'enum', enumWanted(parameter.enum));
}

function searchOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

/** Without a body of its own the operation takes none, or an object without members. */
function* readBody({ body, method }: Operation, json: JsonValue | undefined): Generator<void, ReadResult> {
  if (body !== undefined) {
    if (json === undefined) throw brokenBody('required', 'A JSON body is needed');
    return yield* readMessageInSteps(body.message, json, { without: body.without });
  }
  if (json === undefined) return { ok: true, message: create(method.input), present: [] };
  const without = new Set(method.input.fields.map(({ name }) => name));
  return yield* readMessageInSteps(method.input, json, { without });
}

function violationsOf(
  result: { readonly ok: true } | { readonly ok: false; readonly violations: readonly Violation[] },
) {
  return result.ok ? [] : result.violations;
}

function composeMessage(
  { body, mask }: Operation,
  method: DescMethod,
  read: ReadResult & { ok: true },
): Message {
  if (body !== undefined && body.field === undefined) return read.message;
  const message = create(method.input);
  if (body?.field !== undefined) fieldMembersOf(message)[body.field.localName] = read.message;
  if (mask !== undefined)
    fieldMembersOf(message)[mask.localName] = create(FieldMaskSchema, { paths: [...read.present] });
  return message;
}

function setAt(message: Message, fields: PathParameter['fields'], value: unknown): void {
  const [field, ...below] = fields;
  if (field === undefined) return;
  const members = fieldMembersOf(message);
  if (field.fieldKind !== 'message') {
    members[field.localName] = value;
    return;
  }
  members[field.localName] ??= create(field.message);
  setAt(members[field.localName] as Message, below, value);
}
