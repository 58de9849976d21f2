/**
 * Requests that break an RPC protocol itself and not the contract: told by a code and words alone, with the codes that
 * the protocols' conformance suite asks for (https://github.com/connectrpc/conformance). The words are ours, since the
 * library's repeat pieces of a request.
 */
import { Code, ConnectError } from '@connectrpc/connect';

const made = new WeakSet<object>();

/** Whether the error is one of these. It carries no ErrorDetail, and goes to the client as it is. */
export function breaksProtocol(thrown: unknown): thrown is ConnectError {
  return thrown instanceof ConnectError && made.has(thrown);
}

/** For a request in an encoding that is not available; `metadata` may tell which are. */
export function unknownEncoding(metadata?: Headers): ConnectError {
  return protocolError('The encoding of the request is unknown', Code.Unimplemented, metadata);
}

/** For a message whose envelope says that it is compressed, when no header says how. */
export function undeclaredEncoding(): ConnectError {
  return protocolError('The message is compressed, but not said how', Code.Internal);
}

/** For a body that ends within an envelope, or whose envelope has flags that mean nothing. */
export function brokenEnvelope(): ConnectError {
  return protocolError('The body is not made of whole enveloped messages', Code.InvalidArgument);
}

/** For no message, or several, where the method takes one. */
export function notOneMessage(): ConnectError {
  return protocolError('The body is not exactly one enveloped message', Code.Unimplemented);
}

/** For a GET of a version of Connect that is not served. */
export function unknownVersion(): ConnectError {
  return protocolError('The parameter connect must be v1', Code.InvalidArgument);
}

function protocolError(message: string, code: Code, metadata?: Headers): ConnectError {
  const error = new ConnectError(message, code, metadata);
  made.add(error);
  return error;
}
