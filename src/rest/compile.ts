import type {
  DescField,
  DescMethod,
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
} from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import { ExportFormatSchema } from '../../gen/byway/v1/common_pb.js';
import { ruleOf } from '../protobuf/method-rule.js';
import { queryReader } from '../protobuf/query.js';
import { prepareReader } from '../protobuf/read.js';
import { messageWriters } from '../protobuf/write.js';
import { compileBody, isVariable, maskField, pathParameter, queryFields } from './compile-request.js';
import { columnsOf, rowsOf } from './csv.js';
import { type HttpBinding, httpBinding, type Segment, wrongMethod } from './http-rule.js';
import { type Body, type Operation, REST_ROOT, type StreamPartner } from './operation.js';

/**
 * The REST operations of the services, in the order of the services. Everything is checked here: a wrong
 * annotation throws an Error that names file, method and reason, and so stops the start.
 */
export function compileOperations(services: readonly DescService[]): readonly Operation[] {
  const bindings = services.flatMap((service) => service.methods.map(httpBinding));
  const operations = groupByPath(bindings).map(compileOperation);
  const ids = new Map<string, DescMethod>();
  for (const { id, method } of operations) {
    if (ids.has(id)) throw wrongMethod(method, 'another service has a method of this name');
    ids.set(id, method);
  }
  return operations;
}

type Group = [HttpBinding, ...HttpBinding[]];

function groupByPath(bindings: readonly HttpBinding[]): Group[] {
  const groups = new Map<string, Group>();
  for (const binding of bindings) {
    const group = groups.get(pathKey(binding));
    if (group === undefined) groups.set(pathKey(binding), [binding]);
    else group.push(binding);
  }
  return [...groups.values()];
}

/** Equal for two bindings that no request can tell apart by method and path. */
function pathKey({ httpMethod, segments }: HttpBinding): string {
  return `${httpMethod} ${segments.map((segment) => (segment.kind === 'text' ? segment.text : '{}')).join('/')}`;
}

function compileOperation(bindings: Group): Operation {
  const { main, partner } = pair(bindings);
  const { method, rule, httpMethod } = main;
  if (!isUnary(method) && !isServerStream(method)) {
    throw wrongMethod(method, 'clients cannot stream over REST');
  }
  if (rule.csv && !isUnary(method)) throw wrongMethod(method, 'only a page can be CSV');
  if (rule.revalidates && (httpMethod !== 'GET' || !isUnary(method))) {
    throw wrongMethod(method, 'only a unary GET can be revalidated');
  }
  const pathParameters = main.segments.filter(isVariable).map(({ fields }) => pathParameter(method, fields));
  const names = new Set(pathParameters.map(({ name }) => name));
  if (names.size !== pathParameters.length) {
    throw wrongMethod(method, 'two path variables have the same name');
  }
  const mask = maskField(main);
  const body = compileBody(main, pathParameters);
  const query = queryFields(main, pathParameters, mask);
  const path = main.segments.map((segment) => `/${segmentName(segment, '{', '}')}`).join('');
  const fastifyPath = main.segments.map((segment) => `/${segmentName(segment, ':', '')}`).join('');
  prepare(method, query, body);
  const exportFormat = isServerStream(method)
    ? query.find((field) => field.enum === ExportFormatSchema)
    : undefined;
  if (partner !== undefined) prepare(partner.method, query, body);
  return {
    id: method.name,
    httpMethod,
    path,
    fastifyPath: REST_ROOT + fastifyPath,
    method,
    rule,
    successStatus: rule.successStatus === 0 ? 200 : rule.successStatus,
    pathParameters,
    query,
    body,
    mask,
    stream: partner === undefined ? undefined : streamPartner(main, partner, body),
    exportFormat,
  };
}

/** The method of the operation and the streaming one that shares its path. */
function pair(bindings: Group): { main: HttpBinding; partner: HttpBinding | undefined } {
  const partners = bindings.filter(({ rule }) => rule.streamsWhen !== '');
  const [main, second] = bindings.filter(({ rule }) => rule.streamsWhen === '');
  const [partner, third] = partners;
  const extra = second ?? third;
  if (extra !== undefined) throw wrongMethod(extra.method, 'another method has the same path');
  if (partner !== undefined && !isServerStream(partner.method)) {
    throw wrongMethod(partner.method, 'streams_when is for server streams');
  }
  if (main === undefined || (partner !== undefined && !isUnary(main.method))) {
    throw wrongMethod((partner ?? bindings[0]).method, 'streams_when needs a unary method of the same path');
  }
  return { main, partner };
}

/** Throws an Error unless both methods of the path take the same request from the same callers. */
function streamPartner(main: HttpBinding, partner: HttpBinding, body: Body | undefined): StreamPartner {
  const { method, rule } = partner;
  const shape = (binding: HttpBinding) =>
    JSON.stringify([binding.body, binding.segments, binding.method.input.fields.map(fieldKey)]);
  if (shape(main) !== shape(partner))
    throw wrongMethod(method, `must take the same request as ${main.method.name}`);
  if (String(rule.roles) !== String(main.rule.roles) || rule.plane !== main.rule.plane) {
    throw wrongMethod(method, `must have the roles and the plane of ${main.method.name}`);
  }
  const member = body?.message.fields.find((field) => field.name === rule.streamsWhen);
  if (member?.fieldKind !== 'scalar' || member.scalar !== ScalarType.BOOL || !isServerStream(method)) {
    throw wrongMethod(
      method,
      `streams_when names ${rule.streamsWhen}, which is not a boolean member of the body`,
    );
  }
  return { method, member };
}

function fieldKey(field: DescField): string {
  return `${field.name} ${field.fieldKind} ${field.message?.typeName ?? ''}`;
}

/** Compiles all that the operation reads and writes, so that a message without a form in REST JSON stops the start. */
function prepare(method: DescMethod, query: readonly DescField[], body: Body | undefined): void {
  try {
    queryReader(query, { ignoresUnknown: false });
    if (body !== undefined) prepareReader(body.message);
    messageWriters(new Map())(method.output);
    if (ruleOf(method).csv) columnsOf(rowsOf(method.output), new Map());
  } catch (error) {
    throw wrongMethod(method, error instanceof Error ? error.message : String(error));
  }
}

function segmentName(segment: Segment, before: string, after: string): string {
  return segment.kind === 'text' ? segment.text : `${before}${segment.fields.at(-1) ?? ''}${after}`;
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === 'unary';
}

function isServerStream(method: DescMethod): method is DescMethodServerStreaming {
  return method.methodKind === 'server_streaming';
}
