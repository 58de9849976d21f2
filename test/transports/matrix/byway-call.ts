import type { DescMethod, JsonObject, Message } from '@bufbuild/protobuf';
import type { CallOptions, Transport } from '@connectrpc/connect';
import { type Byway, createByway } from '../../../src/client/index.js';
import { writeMessage } from '../../../src/protobuf/write.js';
import { failureOf, type Outcome } from './outcome.js';

type Call = (message: Message, options: CallOptions) => Promise<Message> | AsyncIterable<Message>;

/** Calls a method through the typed client, over whatever transport it has. */
export async function callByway(
  byway: Byway,
  method: DescMethod,
  message: Message,
  options: CallOptions,
): Promise<Outcome> {
  const messages: JsonObject[] = [];
  let generationId: string | null = null;
  const onHeader = (headers: Headers) => {
    generationId = headers.get('x-generation-id');
  };
  try {
    const answer = functionOf(byway, method)(message, { ...options, onHeader });
    const all = Symbol.asyncIterator in answer ? answer : [await answer];
    for await (const one of all) messages.push(writeMessage(method.output, one));
    return { messages, generationId, failure: null };
  } catch (error) {
    return { messages, generationId, failure: failureOf(error, messages) };
  }
}

/** The names in the typed client (`keys`, `update`) of every method that it calls. */
export function clientNames(): Map<DescMethod, readonly [group: string, name: string]> {
  const names = new Map<DescMethod, readonly [string, string]>();
  let called: DescMethod | undefined;
  const ask = (method: DescMethod) => {
    called = method;
    return new Promise<never>(() => {});
  };
  const probe: Transport = { unary: ask, stream: ask };
  for (const [group, members] of Object.entries(createByway(probe))) {
    for (const [name, call] of Object.entries(members)) {
      called = undefined;
      call({});
      if (called !== undefined) names.set(called, [group, name]);
    }
  }
  return names;
}

const NAMES = clientNames();

function functionOf(byway: Byway, method: DescMethod): Call {
  const [group = '', name = ''] = NAMES.get(method) ?? [];
  const members = Object.entries(byway).find(([key]) => key === group)?.[1] ?? {};
  const call = Object.entries(members).find(([key]) => key === name)?.[1];
  if (call === undefined) throw new Error(`the typed client does not call ${method.name}`);
  // The probe has shown that this function calls the method whose message it is given.
  return call as Call;
}
