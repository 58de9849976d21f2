/**
 * Bedrock's errors: their types are those of
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, and the header that names them is that
 * of the AWS JSON protocol (https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html).
 */
import type { IncomingHttpHeaders } from 'node:http';
import { bodyViolation } from './body-violation.js';
import type { ConverseCall } from './plan.js';
import { type Signer, signatureViolation } from './signature.js';

/** An error response; undefined for a valid request. */
export interface FakeError {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The credentials that the fake accepts. */
export interface FakeAccount {
  readonly signer: Signer;
  /** Bare keys by the region that they are for. */
  readonly apiKeys: Readonly<Record<string, string>>;
}

/** The request, as far as its path could be parsed. */
export interface Came {
  readonly method: string;
  readonly path: string;
  readonly region: string;
  readonly modelId: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Of an operation that is not Converse. */
  readonly violation?: ((modelId: string, body: ConverseCall) => string | undefined) | undefined;
}

/** Checks a request like Bedrock: path and method, credential, form. */
export function refusalOf(came: Came, account: FakeAccount, now: number): FakeError | undefined {
  if (came.method !== 'POST' || came.modelId === undefined) {
    return typed(404, 'UnknownOperationException', 'Unable to determine service/operation name');
  }
  const error = came.headers.authorization?.startsWith('Bearer ')
    ? keyError(came, account)
    : signed(came, account, now);
  if (error !== undefined) return error;
  const body = parse(came.text);
  if (body === undefined) return typed(400, 'SerializationException', 'Unexpected character');
  if (came.modelId === 'no-such-model') {
    return typed(400, 'ValidationException', 'The provided model identifier is invalid.');
  }
  const message =
    came.violation?.(came.modelId, body) ??
    (came.violation ? undefined : bodyViolation(came.modelId, body, came.path.endsWith('-stream')));
  return message === undefined ? undefined : typed(400, 'ValidationException', message);
}

/** An error response, with its type and a URL in a header. */
export function typed(status: number, type: string, message: string): FakeError {
  const address = 'http://internal.amazon.com/coral/com.amazon.bedrock/';
  return { status, body: { message }, headers: { 'x-amzn-errortype': `${type}:${address}` } };
}

/**
 * For a bare key, the error only says that authentication failed, without a type; also in another region than the key's:
 * https://github.com/ai4s-research/open-science/issues/53.
 */
function keyError({ headers, region }: Came, { apiKeys }: FakeAccount): FakeError | undefined {
  const key = headers.authorization?.slice('Bearer '.length);
  if (key !== undefined && apiKeys[region] === key) return undefined;
  const Message = 'Authentication failed: Please make sure your API Key is valid.';
  return { status: 403, body: { Message } };
}

function signed(came: Came, { signer }: FakeAccount, now: number): FakeError | undefined {
  if (came.headers.authorization === undefined) {
    return { status: 403, body: { Message: 'Authorization header is missing' } };
  }
  const error = signatureViolation(came, signer, came.region, now);
  return error === undefined ? undefined : typed(403, error.type, error.message);
}

function parse(text: string): ConverseCall | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
