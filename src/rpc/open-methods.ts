/**
 * Methods of APIs that others define, such as chats. Their requests and answers stay JSON from the client to the
 * provider: REST passes both on as they are, and messages are made for RPC transports alone.
 */
import type { DescMessage, DescMethod, DescService, Message } from '@bufbuild/protobuf';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { JsonText } from '../base/json/json-text.js';
import type { PushStream } from '../base/push-stream.js';
import { messageFromJson } from '../protobuf/message-from-json.js';
import { bodyOf } from '../protobuf/open-request.js';
import {
  defineService,
  type OpenMethod,
  type RequestCheck,
  type ServiceDefinition,
} from './define-service.js';

/** A service all of whose methods are open, each by its name in TypeScript. */
export function defineOpenService<S extends DescService>(
  service: S,
  open: { readonly [M in keyof S['method']]: OpenMethod },
): ServiceDefinition {
  const checks: Record<string, RequestCheck> = {};
  const implementation: Record<string, unknown> = {};
  for (const [name, { violations, ...answering }] of Object.entries<OpenMethod>(open)) {
    const method: DescMethod | undefined = service.method[name];
    if (method === undefined) throw new TypeError(`${service.typeName} has no method ${name}`);
    checks[name] = (request) => violations(bodyOf(method, request));
    implementation[name] = overMessages(method, answering);
  }
  // Each method has its implementation: the type of `open` demands it.
  return { ...defineService(service, implementation as unknown as ServiceImpl<S>), checks, open };
}

function overMessages(method: DescMethod, { call, message }: Omit<OpenMethod, 'violations'>): unknown {
  if (method.methodKind === 'unary') {
    return async (request: Message, context: HandlerContext) => {
      const answer = await (call(bodyOf(method, request), context) as Promise<object>);
      return message?.(answer) ?? messageFromJson(method.output, jsonIn(answer));
    };
  }
  return (request: Message, context: HandlerContext) =>
    messagesOf(method.output, call(bodyOf(method, request), context) as PushStream<object>);
}

async function* messagesOf(desc: DescMessage, answers: AsyncIterable<object>): AsyncIterable<Message> {
  for await (const answer of answers) yield messageFromJson(desc, jsonIn(answer));
}

function jsonIn(answer: object): object {
  return answer instanceof JsonText ? answer.value : answer;
}
