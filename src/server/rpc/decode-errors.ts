/** Requests of the RPC doors that can't be read: said in our words, since the libraries' repeat pieces of a body. */
import { isFieldError } from '@bufbuild/protobuf/reflect';
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { invalid, Problem } from '../../base/problem.js';
import { brokenEnvelope, undeclaredEncoding, unknownEncoding } from '../../rpc/protocol-errors.js';
import { malformedTimeout } from './unary/deadline.js';

/** What a request has to be, and is not. */
export type Broken = 'json' | 'protobuf' | 'compression';

/**
 * The Problem for what was thrown while a request was read: a 400 that names the field where one is known and repeats
 * nothing of what was sent (interface section 2), or the one for a body that is too large or never came whole.
 */
export function decodeError(thrown: unknown, rule: Broken): Problem {
  if (thrown instanceof Problem) return thrown;
  const reason = thrown instanceof ConnectError ? REASONS.get(thrown.code) : undefined;
  if (reason !== undefined) return reason();
  const fieldError = fieldErrorIn(thrown);
  if (fieldError !== undefined) {
    return invalid([{ field: fieldError.field().name, rule: 'type', message: 'is not of its type' }]);
  }
  return invalid([{ field: '', rule, message: MESSAGES[rule] }]);
}

/** Tells of requests that the library can't read as `unreadable` does. Register it before all others. */
export const explainDecodeErrors: Interceptor = (next) => (request) =>
  next(request.stream ? { ...request, message: explained(request.message, ruleOf(request)) } : request);

async function* explained<T>(messages: AsyncIterable<T>, rule: Broken): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (thrown) {
    throw protocolErrorOf(thrown) ?? decodeError(thrown, rule);
  }
}

/** The library tells what breaks the protocol from what the contract does not know by its words alone. */
function protocolErrorOf(thrown: unknown): ConnectError | Problem | undefined {
  if (!(thrown instanceof ConnectError)) return undefined;
  const { rawMessage, metadata } = thrown;
  return PROTOCOL_ERRORS.find(([beginning]) => rawMessage.startsWith(beginning))?.[1](metadata);
}

const PROTOCOL_ERRORS: readonly [beginning: string, make: (metadata: Headers) => ConnectError | Problem][] = [
  ['unknown compression', unknownEncoding],
  ['received compressed envelope', undeclaredEncoding],
  ['protocol error: incomplete envelope', brokenEnvelope],
  ['protocol error: invalid', malformedTimeout],
];

function ruleOf({ header }: { readonly header: Headers }): Broken {
  return header.get('content-type')?.includes('json') ? 'json' : 'protobuf';
}

const MESSAGES: Readonly<Record<Broken, string>> = {
  json: 'The body is not valid JSON, or not of the type of the request',
  protobuf: 'The body is not a message of the type of the request',
  compression: 'The body is not compressed as its header says',
};

const REASONS: ReadonlyMap<Code, () => Problem> = new Map([
  [Code.ResourceExhausted, () => new Problem('body_too_large', 'Request body is too large')],
  [Code.Canceled, () => new Problem('client_closed', 'Client closed the request')],
  [Code.Aborted, () => new Problem('client_closed', 'Client closed the request')],
]);

/** What the protobuf library says of a field stands in the cause of its error, or in that one's cause. */
function fieldErrorIn(thrown: unknown): ReturnType<typeof fieldErrorOf> {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const fieldError = fieldErrorOf(error);
    if (fieldError !== undefined) return fieldError;
  }
  return undefined;
}

function fieldErrorOf(error: unknown) {
  return isFieldError(error) ? error : undefined;
}
