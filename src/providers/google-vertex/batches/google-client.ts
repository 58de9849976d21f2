/** Calls Google's services as a service account, for batches. Failures name the missing permission. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../base/clock.js';
import type { Signal } from '../../../base/signal.js';
import { JobCallFailure, type JobCallFailureKind } from '../../../batch/failure.js';
import type { JobTarget } from '../../../batch/ports.js';
import type { Redactor } from '../../../byok/redaction/redactor.js';
import { elements, members, textOf } from '../../../formats/json.js';
import type { Tenancy } from '../../../inference/ports/adapter.js';
import { isUnconnected, UpstreamFailure } from '../../../inference/ports/failure.js';
import { type ErrorResponse, errorJson } from '../../common/error-response.js';
import { connectionTimeout } from '../../common/failures.js';
import { retryAfterMs } from '../../common/retry-after.js';
import type { AnyHttpRequest, Http, HttpResponse } from '../../http/http.js';
import { discard, readJsonBody, readText } from '../../http/read-body.js';
import { readReport } from '../../openai/host/error-report.js';
import { redactThrown } from '../../redaction/redact-thrown.js';
import { redactJson } from '../../redaction/redaction.js';
import { redactWith } from '../host/secrets.js';
import type { AccessToken, AccessTokens } from '../host/token.js';

export interface GoogleDependencies {
  readonly http: Http;
  readonly tokens: AccessTokens;
  readonly clock: Clock;
}

/** A call, without its token. */
export interface GoogleCall {
  readonly method: AnyHttpRequest['method'];
  readonly url: URL;
  /** The IAM permission that the call needs. */
  readonly permission: string;
  readonly contentType?: string;
  /** Called for each try. */
  readonly body?: () => string | AsyncIterable<Uint8Array>;
  /** Whether the call may be retried. */
  readonly isIdempotent: boolean;
}

/** Pauses between tries, in milliseconds. */
const PAUSES_MS = [200, 1000];

/** Timeout from sending the request, including its body, to the head of the response. */
const ANSWER_TIMEOUT_MS = 10 * 60 * 1000;

/** Far more than the longest response, a page of a list. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const MAX_ERROR_BYTES = 16 * 1024;

/** A successful response, its body not yet read. Throws `JobCallFailure`, or the signal's reason once it is aborted. */
export async function callGoogle(
  dependencies: GoogleDependencies,
  target: JobTarget,
  call: GoogleCall,
  signal: Signal,
): Promise<HttpResponse> {
  for (const pause of call.isIdempotent ? PAUSES_MS : []) {
    try {
      return await callOnce(dependencies, target, call, signal);
    } catch (thrown) {
      if (!(thrown instanceof JobCallFailure) || thrown.kind !== 'unavailable') throw thrown;
      await sleep(pause, undefined, { signal: signal as AbortSignal }).catch(() => signal.throwIfAborted());
    }
  }
  return callOnce(dependencies, target, call, signal);
}

/**
 * Resolves to the JSON object of a successful response, with the account's secrets redacted. Throws as `callGoogle`
 * does.
 */
export async function callGoogleJson(
  dependencies: GoogleDependencies,
  target: JobTarget,
  call: GoogleCall,
  signal: Signal,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await callGoogle(dependencies, target, call, signal);
  const redactor = redactorFor(dependencies.tokens, target);
  try {
    return redactJson(
      members(await readJsonBody(answer.body, { maxAnswerBytes: MAX_ANSWER_BYTES })),
      redactor,
    );
  } catch (thrown) {
    throw jobFailureOf(redactThrown(thrown, redactor), signal, true);
  }
}

/** Redacts the secrets that the target is called with. */
export function redactorFor(
  tokens: Pick<AccessTokens, 'redactor'>,
  { credential, provider, hostHeaders }: Pick<JobTarget, 'credential' | 'provider' | 'hostHeaders'>,
): Redactor {
  const redactor = tokens.redactor(credential, provider);
  for (const secret of hostHeaders?.secrets ?? []) redactor.addToken(secret);
  return redactor;
}

async function callOnce(
  dependencies: GoogleDependencies,
  target: JobTarget,
  call: GoogleCall,
  signal: Signal,
): Promise<HttpResponse> {
  try {
    return await sendWithToken(dependencies, target, call, signal);
  } catch (thrown) {
    throw redactThrown(thrown, redactorFor(dependencies.tokens, target));
  }
}

async function sendWithToken(
  { http, tokens, clock }: GoogleDependencies,
  target: JobTarget,
  call: GoogleCall,
  signal: Signal,
): Promise<HttpResponse> {
  const { credential, provider } = target;
  const { token, wasCached } = await grant(tokens, target, signal);
  let answer = await send(http, target, call, token, signal);
  if (answer.status === 401) {
    tokens.forget(credential, provider, token);
    if (wasCached) {
      discard(answer.body);
      const { token: another } = await grant(tokens, target, signal);
      answer = await send(http, target, call, another, signal);
    }
  }
  if (answer.status >= 200 && answer.status <= 299) return answer;
  const { text } = await readText(answer.body, MAX_ERROR_BYTES).catch((thrown: unknown) => {
    throw jobFailureOf(thrown, signal, true);
  });
  throw responseFailure({ ...answer, text }, call, redactWith(credential), clock.now());
}

async function grant(tokens: AccessTokens, target: JobTarget, signal: Signal) {
  try {
    return await tokens.grant(target.credential, target.provider, { signal, tenancy: tenancyOf(target) });
  } catch (thrown) {
    throw jobFailureOf(thrown, signal, false);
  }
}

/** Jobs run only with accounts' own keys. */
function tenancyOf({ accountId }: JobTarget): Tenancy {
  return { accountId, isByok: true, mayWait: true };
}

/** The timeout ends with the response's head. Reading the body may take longer. */
async function send(
  http: Http,
  target: JobTarget,
  { method, url, contentType, body }: GoogleCall,
  { text }: AccessToken,
  signal: Signal,
): Promise<HttpResponse> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  const timer = setTimeout(() => controller.abort(connectionTimeout()), ANSWER_TIMEOUT_MS);
  try {
    const answer = await http.send({
      method,
      url,
      headers: {
        authorization: `Bearer ${text}`,
        accept: 'application/json',
        ...(contentType !== undefined && { 'content-type': contentType }),
      },
      body: body === undefined ? null : body(),
      signal: controller.signal,
      tenancy: tenancyOf(target),
      hostHeaders: target.hostHeaders,
    });
    answer.body.whenClosed(() => signal.removeEventListener('abort', abort));
    return answer;
  } catch (thrown) {
    signal.removeEventListener('abort', abort);
    throw jobFailureOf(thrown, signal, true);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Makes a `JobCallFailure` of an `UpstreamFailure`. The reason of an aborted signal takes precedence, and bugs are
 * returned unchanged.
 */
export function jobFailureOf(thrown: unknown, signal: Signal, wasSent: boolean): unknown {
  if (signal.aborted) return signal.reason;
  if (!(thrown instanceof UpstreamFailure)) return thrown;
  const { kind, message, error } = thrown;
  if (kind === 'auth') return new JobCallFailure(message, { kind: 'denied', cause: thrown });
  const isUncertain = wasSent && !isUnconnected(thrown) && error !== 'in_flight_limit';
  return new JobCallFailure(message, { kind: 'unavailable', isUncertain, cause: thrown });
}

function responseFailure(
  { status, headers, text }: ErrorResponse,
  call: GoogleCall,
  redact: (text: string) => string,
  now: number,
): JobCallFailure {
  const providerMessage = errorJson(text);
  const report = readReport(Array.isArray(providerMessage) ? providerMessage[0] : providerMessage);
  const message = redact(report.message ?? `Google answered with status ${status}`);
  const reasons = reasonsIn(providerMessage);
  const kind = kindOf(status, message, reasons);
  const isPermission = status === 403 && !reasons.some((reason) => SWITCHED_OFF.test(reason));
  if (kind === 'denied' && isPermission) {
    const permission = PERMISSION.exec(message)?.[0] ?? call.permission;
    return new JobCallFailure(`the service account needs ${permission}: ${message}`, { kind, permission });
  }
  return new JobCallFailure(message, {
    kind,
    retryAfterMs: retryAfterMs(headers, now),
    isUncertain: status >= 500,
  });
}

/** Reasons of a disabled service or project, for which no permission would help. */
const SWITCHED_OFF = /disabled|suspended|accessNotConfigured/i;

const PERMISSION = /\b(?:storage|aiplatform)\.[a-zA-Z]+\.[a-zA-Z]+\b/;

/** Google's message for the first batch of a project, for some minutes. */
export const UNPROVISIONED = /service agents? (?:are|is) (?:still )?being provisioned/i;

/** Rate limits that Cloud Storage reports with status 403. */
const LIMIT_REASONS: ReadonlySet<unknown> = new Set(['rateLimitExceeded', 'userRateLimitExceeded']);

function kindOf(status: number, message: string, reasons: readonly unknown[]): JobCallFailureKind {
  if (status === 429 || reasons.some((reason) => LIMIT_REASONS.has(reason))) return 'rate_limited';
  if (UNPROVISIONED.test(message)) return 'not_provisioned';
  switch (status) {
    case 401:
    case 403:
      return 'denied';
    case 404:
      return 'missing';
    case 409:
      return 'conflict';
    default:
      return status === 408 || status >= 500 ? 'unavailable' : 'refused';
  }
}

/** The reasons are in `errors` for Cloud Storage, and in `details` for other services. */
function reasonsIn(providerMessage: unknown): readonly string[] {
  const { errors, details } = members(members(providerMessage).error);
  return [...elements(errors), ...elements(details)].flatMap((one) => textOf(members(one).reason) ?? []);
}
