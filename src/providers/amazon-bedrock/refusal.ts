/** The failures that Bedrock reports: with an error status, or as an exception inside a stream that had begun well. */
import type { IncomingHttpHeaders } from 'node:http';
import type { BedrockCredential } from '../../byok/kinds/amazon-bedrock.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { type FailureKind, kindOfStatus, UpstreamFailure } from '../../inference/attempts/failure.js';
import { isObject, members, parseJson, textOf } from '../http/json.js';
import { retryAfterMs } from '../http/retry-after.js';
import { authMessage } from './auth-message.js';

/** An answer with an error status. */
export interface Refusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What was asked, as far as it explains a refusal. */
export interface RequestContext {
  readonly credential: BedrockCredential;
  /** The region that was called. */
  readonly region: string;
  readonly isStreamed: boolean;
}

/** The failure that an answer with an error status is. Nothing of its owner is in it; `now` in Unix milliseconds. */
export function refused(
  { status, headers, text }: Refusal,
  context: RequestContext,
  now: number,
): UpstreamFailure {
  const body = parseJson(text);
  const type = errorType(headers['x-amzn-errortype'], members(body));
  const providerMessage = messageIn(isObject(body) ? body : {}) ?? plainText(text);
  const kind = kindOf(type, status);
  const explained =
    kind === 'auth'
      ? authMessage({ type, providerMessage, date: headers.date }, context, now)
      : providerMessage;
  return new UpstreamFailure(scrubbed(explained) ?? `The provider answered with status ${status}`, {
    kind,
    status,
    retryAfterMs: type === QUOTA_TYPE ? null : retryAfterMs(headers, now),
  });
}

/** The failure that an exception in a stream is, from its type and its payload; its status is what its type means. */
export function excepted(name: string, payload: JsonObject): UpstreamFailure {
  const type = name.toLowerCase();
  const status = STATUS_BY_TYPE.get(type) ?? UNEXPLAINED_STATUS;
  const providerMessage = textOf(payload.originalMessage) ?? messageIn(payload);
  const message = scrubbed(providerMessage) ?? `The provider broke off the answer with ${type || 'an error'}`;
  return new UpstreamFailure(message, { kind: kindOf(type, status), status });
}

const STATUS_BY_TYPE: ReadonlyMap<string, number> = new Map([
  ['validationexception', 400],
  ['accessdeniedexception', 403],
  ['resourcenotfoundexception', 404],
  ['modeltimeoutexception', 408],
  ['modelerrorexception', 424],
  ['modelstreamerrorexception', 424],
  ['throttlingexception', 429],
  ['modelnotreadyexception', 429],
  ['internalserverexception', 500],
  ['serviceunavailableexception', 503],
]);

const UNEXPLAINED_STATUS = 500;

/** A quota that is used up is a rate limit whatever its status; no wait that is named mends it. */
const QUOTA_TYPE = 'servicequotaexceededexception';

/** Types that say more than their status does. */
const KIND_BY_TYPE: ReadonlyMap<string, FailureKind> = new Map([
  [QUOTA_TYPE, 'rate_limit'],
  ['throttlingexception', 'rate_limit'],
  ['throttling', 'rate_limit'],
  ['toomanyrequestsexception', 'rate_limit'],
  ['expiredtoken', 'auth'],
  ['expiredtokenexception', 'auth'],
  ['requestexpired', 'auth'],
  ['incompletesignature', 'auth'],
  ['incompletesignatureexception', 'auth'],
  ['invalidsignatureexception', 'auth'],
  ['unrecognizedclientexception', 'auth'],
]);

function kindOf(type: string, status: number): FailureKind {
  return KIND_BY_TYPE.get(type) ?? kindOfStatus(status);
}

/** In lower case and without what stands around it: `ThrottlingException:http://...`, `com.amazon...#Throttling...`. */
function errorType(header: IncomingHttpHeaders[string], body: JsonObject): string {
  const told = typeof header === 'string' ? header : (textOf(body.__type) ?? textOf(body.code) ?? '');
  return told.replace(/:.*/s, '').replace(/^.*#/s, '').trim().toLowerCase();
}

function messageIn({ message, Message }: JsonObject): string | undefined {
  return textOf(message) ?? textOf(Message);
}

/** A body that is no JSON: words of a proxy on the way, or a page that is for browsers. */
function plainText(text: string): string | undefined {
  const trimmed = text.trim();
  return /^[<{[]/.test(trimmed) || trimmed === '' ? undefined : trimmed;
}

/** Cuts out whose the credential is: on shared capacity that is nobody's business. */
function scrubbed(message: string | undefined): string | undefined {
  return message
    ?.replaceAll(/arn:aws[a-z-]*:(?:iam|sts)::[^\s"',]+/g, '[identity]')
    .replaceAll(/(?<!\d)\d{12}(?!\d)/g, '[account]');
}
