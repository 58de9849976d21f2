/**
 * Methods of APIs that others define (chats and their like), whose requests and answers stay JSON from the client to the
 * provider: REST passes both on as they come, and only RPC transports, which need them, have messages made.
 */
import type { DescMessage, DescMethod, DescService, JsonObject, Message } from '@bufbuild/protobuf';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { Violation } from '../base/problem.js';
import { messageFromJson } from '../protobuf/message-from-json.js';
import { membersOf } from '../protobuf/members.js';
import { writeMessage } from '../protobuf/write.js';
import { type Check, defineService, type ServiceDefinition } from './define-service.js';

/** A method by the JSON of its body. */
export interface OpenMethod {
  /** Every rule that the body breaks, beyond those of the contract. */
  violations(body: JsonObject): readonly Violation[];
  /** The answer, or the answers of a stream, in the REST JSON of the method's output. */
  call(body: JsonObject, context: HandlerContext): Promise<object> | AsyncIterable<object>;
}

/** A request whose body is passed on as JSON. */
export class OpenRequest {
  readonly body: JsonObject;
  /** What the body was read into; undefined when it is certain to keep the contract. */
  readonly message: Message | undefined;

  constructor(body: JsonObject, message?: Message) {
    this.body = body;
    this.message = message;
  }
}

/** A service all of whose methods are open, each by its name in TypeScript. */
export function defineOpenService<S extends DescService>(
  service: S,
  open: { readonly [M in keyof S['method']]: OpenMethod },
): ServiceDefinition {
  const methods: Readonly<Record<string, OpenMethod>> = open;
  const checks: Record<string, Check> = {};
  const implementation: Record<string, unknown> = {};
  for (const method of service.methods) {
    const { localName } = method;
    const { violations, call } = openMethod(methods, localName);
    checks[localName] = (request) => violations(bodyOf(method, request));
    implementation[localName] = overMessages(method, call);
  }
  const defined = defineService(service, implementation as unknown as ServiceImpl<S>);
  return { ...defined, checks, open: methods };
}

/** The JSON of the request's body, made once. */
export function bodyOf({ input }: DescMethod, request: Message): JsonObject {
  const known = bodies.get(request);
  if (known !== undefined) return known;
  const [field] = input.fields;
  if (input.fields.length !== 1 || field?.fieldKind !== 'message')
    throw new TypeError(`${input.typeName} must hold one message and nothing else`);
  const held = membersOf(request)[field.localName] as Message | undefined;
  const body = held === undefined ? {} : writeMessage(field.message, held);
  bodies.set(request, body);
  return body;
}

const bodies = new WeakMap<Message, JsonObject>();

function openMethod(methods: Readonly<Record<string, OpenMethod>>, name: string): OpenMethod {
  const method = methods[name];
  if (method === undefined) throw new TypeError(`${name} has no implementation`);
  return method;
}

function overMessages(method: DescMethod, call: OpenMethod['call']): unknown {
  if (method.methodKind === 'unary') {
    return async (request: Message, context: HandlerContext) =>
      messageFromJson(method.output, await (call(bodyOf(method, request), context) as Promise<object>));
  }
  return (request: Message, context: HandlerContext) =>
    messagesOf(method.output, call(bodyOf(method, request), context) as AsyncIterable<object>);
}

async function* messagesOf(desc: DescMessage, answers: AsyncIterable<object>): AsyncIterable<Message> {
  for await (const answer of answers) yield messageFromJson(desc, answer);
}
