/**
 * Errors of requests that break an RPC protocol itself, not the contract: a code and a message without ErrorDetail.
 * The codes are those that the protocols' conformance suite expects (https://github.com/connectrpc/conformance); the
 * messages are our own, since the library's repeat pieces of a request.
 */
import { Code, ConnectError } from '@connectrpc/connect';

const protocolErrors = new WeakSet<object>();

/** Whether the error was made here: it carries no ErrorDetail and goes to the client unchanged. */
export function isProtocolError(thrown: unknown): thrown is ConnectError {
  return thrown instanceof ConnectError && protocolErrors.has(thrown);
}

/** For a request in an encoding that is not available; `metadata` may list those that are. */
export function unknownEncoding(metadata?: Headers): ConnectError {
  return protocolError('The encoding of the request is unknown', Code.Unimplemented, metadata);
}

/** For a message whose envelope is flagged as compressed, when no header names the encoding. */
export function undeclaredEncoding(): ConnectError {
  return protocolError('The message is compressed, but not said how', Code.Internal);
}

/** For a body that ends within an envelope, or whose envelope has unknown flags. */
export function brokenEnvelopedMessage(): ConnectError {
  return protocolError('The body is not made of whole enveloped messages', Code.InvalidArgument);
}

/** For no message, or several, where the method takes one. */
export function notOneMessage(): ConnectError {
  return protocolError('The body is not exactly one enveloped message', Code.Unimplemented);
}

/** For a GET of an unsupported version of Connect. */
export function unknownVersion(): ConnectError {
  return protocolError('The parameter connect must be v1', Code.InvalidArgument);
}

function protocolError(message: string, code: Code, metadata?: Headers): ConnectError {
  const error = new ConnectError(message, code, metadata);
  protocolErrors.add(error);
  return error;
}
