/** What Bedrock refuses, in its own words. */
import type { IncomingHttpHeaders } from 'node:http';
import { bodyFault } from './body-fault.js';
import type { ConverseCall } from './plan.js';
import { type Signer, signatureFault } from './signature.js';

/** A refusal; undefined where the request is sound. */
export interface FakeRefusal {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whom the fake knows. */
export interface FakeAccount {
  readonly signer: Signer;
  /** Bare keys by the region that they are for. */
  readonly apiKeys: Readonly<Record<string, string>>;
}

/** What came, as far as the path could be read. */
export interface Came {
  readonly method: string;
  readonly path: string;
  readonly region: string;
  readonly modelId: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Checks a request as the real one does: path and method, credential, form. */
export function refusalOf(came: Came, account: FakeAccount, now: number): FakeRefusal | undefined {
  if (came.method !== 'POST' || came.modelId === undefined) {
    return typed(404, 'UnknownOperationException', 'Unable to determine service/operation name');
  }
  const fault = came.headers.authorization?.startsWith('Bearer ')
    ? keyFault(came, account)
    : signed(came, account, now);
  if (fault !== undefined) return fault;
  const body = parse(came.text);
  if (body === undefined) return typed(400, 'SerializationException', 'Unexpected character');
  if (came.modelId === 'no-such-model') {
    return typed(400, 'ValidationException', 'The provided model identifier is invalid.');
  }
  const message = bodyFault(body);
  return message === undefined ? undefined : typed(400, 'ValidationException', message);
}

/** An error as the service writes it, its type in a header with an address behind it. */
export function typed(status: number, type: string, message: string): FakeRefusal {
  const address = 'http://internal.amazon.com/coral/com.amazon.bedrock/';
  return { status, body: { message }, headers: { 'x-amzn-errortype': `${type}:${address}` } };
}

/** A bare key is told nothing but that it failed, without a type. */
function keyFault({ headers, region }: Came, { apiKeys }: FakeAccount): FakeRefusal | undefined {
  const key = headers.authorization?.slice('Bearer '.length);
  if (key !== undefined && apiKeys[region] === key) return undefined;
  const Message = 'Authentication failed: Please make sure your API Key is valid.';
  return { status: 403, body: { Message } };
}

function signed(came: Came, { signer }: FakeAccount, now: number): FakeRefusal | undefined {
  if (came.headers.authorization === undefined) {
    return { status: 403, body: { Message: 'Authorization header is missing' } };
  }
  const fault = signatureFault(came, signer, came.region, now);
  return fault === undefined ? undefined : typed(403, fault.type, fault.message);
}

function parse(text: string): ConverseCall | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
