/** Errors of RPC requests that can't be decoded, with messages of our own: the libraries' repeat pieces of a body. */
import { isFieldError } from '@bufbuild/protobuf/reflect';
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { clientClosed, invalid, Problem } from '../../../base/problem.js';
import { brokenEnvelopedMessage, undeclaredEncoding, unknownEncoding } from '../../../rpc/protocol-errors.js';
import { invalidTimeout } from './deadline.js';

/** What failed to decode; the rule of the violation. */
export type DecodeRule = 'json' | 'protobuf' | 'compression';

/**
 * The Problem for what was thrown while a request was decoded. Mostly a 400 that names the field where it is known and
 * repeats nothing of the request; other Problems for a body that is too large or never arrived completely.
 */
export function decodeError(thrown: unknown, rule: DecodeRule): Problem {
  if (thrown instanceof Problem) return thrown;
  const reason = thrown instanceof ConnectError ? REASONS.get(thrown.code) : undefined;
  if (reason !== undefined) return reason();
  const fieldError = fieldErrorIn(thrown);
  if (fieldError !== undefined) {
    return invalid([{ field: fieldError.field().name, rule: 'type', message: 'is not of its type' }]);
  }
  return invalid([{ field: '', rule, message: MESSAGES[rule] }]);
}

/**
 * Rethrows the library's decoding errors of streams as `decodeError` does. Register it before all other interceptors.
 */
export const explainDecodeErrors: Interceptor = (next) => (request) =>
  next(request.stream ? { ...request, message: explained(request.message, ruleOf(request)) } : request);

async function* explained<T>(messages: AsyncIterable<T>, rule: DecodeRule): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (thrown) {
    throw protocolErrorOf(thrown) ?? decodeError(thrown, rule);
  }
}

/** Only the message tells which of the library's errors are of the protocol and not of the request message. */
function protocolErrorOf(thrown: unknown): ConnectError | Problem | undefined {
  if (!(thrown instanceof ConnectError)) return undefined;
  const { rawMessage, metadata } = thrown;
  return PROTOCOL_ERRORS.find(([beginning]) => rawMessage.startsWith(beginning))?.[1](metadata);
}

const PROTOCOL_ERRORS: readonly [beginning: string, make: (metadata: Headers) => ConnectError | Problem][] = [
  ['unknown compression', unknownEncoding],
  ['received compressed envelope', undeclaredEncoding],
  ['protocol error: incomplete envelope', brokenEnvelopedMessage],
  ['protocol error: invalid', invalidTimeout],
];

function ruleOf({ header }: { readonly header: Headers }): DecodeRule {
  return header.get('content-type')?.includes('json') ? 'json' : 'protobuf';
}

const MESSAGES: Readonly<Record<DecodeRule, string>> = {
  json: 'The body is not valid JSON, or not of the type of the request',
  protobuf: 'The body is not a message of the type of the request',
  compression: 'The body is not compressed as its header says',
};

const REASONS: ReadonlyMap<Code, () => Problem> = new Map([
  [Code.ResourceExhausted, () => new Problem('body_too_large', 'Request body is too large')],
  [Code.Canceled, clientClosed],
  [Code.Aborted, clientClosed],
]);

/** The protobuf library's field error: the cause of the thrown error, or that one's cause. */
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
