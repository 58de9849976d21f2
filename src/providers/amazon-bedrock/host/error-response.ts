/** Failures that Bedrock reports, by an error status or by an exception in a stream. */
import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import { type FailureKind, kindOfStatus, UpstreamFailure } from '../../../inference/ports/failure.js';
import { type WordedKind, wordedAs } from '../../common/account-refusals.js';
import { type ErrorResponse, errorJson, plainText } from '../../common/error-response.js';
import { filterKind } from '../../common/filter-words.js';
import { retryAfterMs } from '../../common/retry-after.js';
import { authMessage, type RequestContext } from './auth-message.js';

/** The failure of a response with an error status, without the account's identity. `now` in Unix milliseconds. */
export function responseFailure(
  { status, headers, text }: ErrorResponse,
  context: RequestContext,
  now: number,
): UpstreamFailure {
  const body = errorJson(text);
  const name = errorName(headers['x-amzn-errortype'], members(body));
  const type = name.toLowerCase();
  const providerMessage = messageIn(isObject(body) ? body : {}) ?? plainText(text);
  const wait = type === QUOTA_TYPE ? null : retryAfterMs(headers, now);
  const found = kindOf(type, status, providerMessage);
  const explained =
    found.kind === 'auth'
      ? authMessage({ type, providerMessage, date: headers.date }, context, now)
      : providerMessage;
  return new UpstreamFailure(scrubbed(explained) ?? `The provider answered with status ${status}`, {
    ...wordedAs(found, status, wait),
    status,
    providerError: { type: name },
  });
}

/** The failure of an exception in a stream. Its status follows from its type. */
export function exceptionFailure(name: string, payload: JsonObject): UpstreamFailure {
  const type = name.toLowerCase();
  const status = STATUS_BY_TYPE.get(type) ?? UNEXPLAINED_STATUS;
  const providerMessage = textOf(payload.originalMessage) ?? messageIn(payload);
  const message = scrubbed(providerMessage) ?? `The provider broke off the answer with ${type || 'an error'}`;
  return new UpstreamFailure(message, {
    ...wordedAs(kindOf(type, status), status, null),
    status,
    providerError: { type: name },
  });
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

/**
 * An exhausted quota counts as a rate limit, whatever its status. It does not help to wait as long as `retry-after`
 * says.
 */
const QUOTA_TYPE = 'servicequotaexceededexception';

/** An account that AWS can't charge (https://repost.aws/knowledge-center/bedrock-access-denied-error). */
const UNPAID = /INVALID_PAYMENT_INSTRUMENT/;

/** Error types that say more than their status. */
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

function kindOf(type: string, status: number, message = ''): WordedKind {
  const [unpaid] = (status === 403 ? UNPAID.exec(message) : null) ?? [];
  if (unpaid !== undefined) return { kind: 'quota', phrase: unpaid };
  const filtered = status === 400 ? filterKind(message) : undefined;
  return filtered ?? { kind: KIND_BY_TYPE.get(type) ?? kindOfStatus(status), phrase: null };
}

/** The error's name without prefix and suffix: `ThrottlingException:http://...`, `com.amazon...#Throttling...`. */
function errorName(header: IncomingHttpHeaders[string], body: JsonObject): string {
  const name = typeof header === 'string' ? header : (textOf(body.__type) ?? textOf(body.code) ?? '');
  return name.replace(/:.*/s, '').replace(/^.*#/s, '').trim();
}

function messageIn({ message, Message }: JsonObject): string | undefined {
  return textOf(message) ?? textOf(Message);
}

/** Removes the credential's identity, which callers over shared capacity must not see. */
function scrubbed(message: string | undefined): string | undefined {
  return message
    ?.replaceAll(/arn:aws[a-z-]*:(?:iam|sts)::[^\s"',]+/g, '[identity]')
    .replaceAll(/(?<!\d)\d{12}(?!\d)/g, '[account]');
}
