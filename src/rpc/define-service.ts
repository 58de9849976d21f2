import type { DescMethod, DescService, JsonObject, Message, MessageShape } from '@bufbuild/protobuf';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { Violation } from '../base/problem.js';
import type { PushStream } from '../base/push-stream.js';
import type { OpenRequest } from '../protobuf/open-request.js';
import type { Caller } from './caller.js';

/** Checks the rules of a request that the contract can't express. It only reads, and returns every broken rule. */
export type RequestCheck = (
  request: Message | OpenRequest,
  caller: Caller,
) => readonly Violation[] | Promise<readonly Violation[]>;

/** Checks of a service's methods, typed by their requests. */
export type MethodChecks<S extends DescService> = {
  readonly [M in keyof S['method']]?: S['method'][M] extends DescMethod
    ? (
        request: MessageShape<S['method'][M]['input']>,
        caller: Caller,
      ) => readonly Violation[] | Promise<readonly Violation[]>
    : never;
};

/** A method by the JSON of its body. */
export interface OpenMethod {
  /** Every rule that the body breaks, beyond those of the contract. */
  violations(body: JsonObject): readonly Violation[];
  /** The answer, or those of a stream, in the REST JSON of the method's output. */
  call(body: JsonObject, context: HandlerContext): Promise<object> | PushStream<object>;
  /** The message of an answer that is no JSON. */
  message?(answer: object): Message;
}

/** By method. */
export interface RequestChecks<S extends DescService> {
  /** Asked of every request. */
  readonly checks?: MethodChecks<S>;
  /**
   * What the implementation refuses anyway. Asked only of a request that breaks another rule, so that one answer names
   * all of them.
   */
  readonly ofInvalid?: MethodChecks<S>;
}

/** A service of the contract with its implementation. */
export interface ServiceDefinition {
  readonly service: DescService;
  /** By the method's name in TypeScript. */
  readonly implementation: ServiceImpl<DescService>;
  readonly checks: Readonly<Record<string, RequestCheck | undefined>>;
  /** As in `RequestChecks`. */
  readonly ofInvalid: Readonly<Record<string, RequestCheck | undefined>>;
  /** Its methods that also take an `OpenRequest`. */
  readonly open: Readonly<Record<string, OpenMethod | undefined>>;
}

/** Binds an implementation to its service; the compiler checks that no method is missing and that all types agree. */
export function defineService<S extends DescService>(
  service: S,
  implementation: ServiceImpl<S>,
  { checks = {}, ofInvalid = {} }: RequestChecks<S> = {},
): ServiceDefinition {
  // Callers look methods up by the descriptor that gives the message its type.
  return {
    service,
    implementation: implementation as ServiceImpl<DescService>,
    checks: checks as ServiceDefinition['checks'],
    ofInvalid: ofInvalid as ServiceDefinition['ofInvalid'],
    open: {},
  };
}
