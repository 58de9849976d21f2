/** Calls to Google's services as a service account, for all that is not a chat: what fails says which permission is missing. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.js';
import { ProviderFailure, type ProviderFailureKind } from '../../batch/failure.js';
import type { JobTarget } from '../../batch/ports.js';
import { UpstreamFailure } from '../../inference/attempts/failure.js';
import { discard, readText } from '../http/body.js';
import { connectionTimeout } from '../http/failures.js';
import type { AnyHttpRequest, Http, HttpAnswer } from '../http/http.js';
import { elements, members, parseJson, textOf } from '../http/json.js';
import { retryAfterMs } from '../http/retry-after.js';
import { readReport } from '../openai/report.js';
import { redactThrown } from '../redaction/redact-thrown.js';
import { redactJson } from '../redaction/redaction.js';
import { redactWith } from './secrets.js';
import type { AccessToken, AccessTokens } from './token.js';

/** What calls are made through. */
export interface SessionDependencies {
  readonly http: Http;
  readonly tokens: AccessTokens;
  readonly clock: Clock;
}

/** A call but for its token. */
export interface GoogleCall {
  readonly method: AnyHttpRequest['method'];
  readonly url: URL;
  /** The permission that it needs. */
  readonly permission: string;
  readonly contentType?: string;
  /** Asked for anew by each try. */
  readonly body?: () => string | AsyncIterable<Uint8Array>;
  /** Whether doing it twice is as good as doing it once: then trouble is met with another try. */
  readonly isRepeatable: boolean;
}

/** Pauses before further tries, in milliseconds. */
const PAUSES_MS = [200, 1000];

/** How long the head of an answer may take, the request's body included. */
const ANSWER_TIMEOUT_MS = 10 * 60 * 1000;

/** Real answers are far shorter; a page of a list is the longest. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const MAX_ERROR_BYTES = 16 * 1024;

/** The successful answer, its body not yet read. Throws `ProviderFailure`, or the signal's reason once it is aborted. */
export async function callGoogle(
  dependencies: SessionDependencies,
  target: JobTarget,
  call: GoogleCall,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  for (const pause of call.isRepeatable ? PAUSES_MS : []) {
    try {
      return await callOnce(dependencies, target, call, signal);
    } catch (thrown) {
      if (!(thrown instanceof ProviderFailure) || thrown.kind !== 'unavailable') throw thrown;
      await sleep(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
  return callOnce(dependencies, target, call, signal);
}

/** The JSON object of the successful answer, without the account's secrets. Throws as `callGoogle` does. */
export async function askGoogle(
  dependencies: SessionDependencies,
  target: JobTarget,
  call: GoogleCall,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await callGoogle(dependencies, target, call, signal);
  const redactor = dependencies.tokens.redactor(target.credential, target.provider);
  try {
    const { text } = await readText(answer.body, MAX_ANSWER_BYTES);
    return redactJson(members(parseJson(text)), redactor);
  } catch (thrown) {
    throw failureOf(redactThrown(thrown, redactor), signal, true);
  }
}

async function callOnce(
  dependencies: SessionDependencies,
  target: JobTarget,
  call: GoogleCall,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  try {
    return await exchange(dependencies, target, call, signal);
  } catch (thrown) {
    throw redactThrown(thrown, dependencies.tokens.redactor(target.credential, target.provider));
  }
}

async function exchange(
  { http, tokens, clock }: SessionDependencies,
  target: JobTarget,
  call: GoogleCall,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { credential, provider } = target;
  const { token, wasKept } = await grant(tokens, target, signal);
  let answer = await send(http, call, token, signal);
  if (answer.status === 401) {
    tokens.forget(credential, provider, token);
    if (wasKept) {
      discard(answer.body);
      const { token: another } = await grant(tokens, target, signal);
      answer = await send(http, call, another, signal);
    }
  }
  if (answer.status >= 200 && answer.status <= 299) return answer;
  const { text } = await readText(answer.body, MAX_ERROR_BYTES).catch((thrown: unknown) => {
    throw failureOf(thrown, signal, true);
  });
  throw refused({ ...answer, text }, call, redactWith(credential), clock.now());
}

async function grant(tokens: AccessTokens, { credential, provider }: JobTarget, signal: AbortSignal) {
  try {
    return await tokens.grant(credential, provider, signal);
  } catch (thrown) {
    throw failureOf(thrown, signal, false);
  }
}

/** The answer's body may be read for as long as it takes: the time is up to its head. */
async function send(
  http: Http,
  { method, url, contentType, body }: GoogleCall,
  { text }: AccessToken,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
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
    });
    answer.body.whenClosed(() => signal.removeEventListener('abort', abort));
    return answer;
  } catch (thrown) {
    signal.removeEventListener('abort', abort);
    throw failureOf(thrown, signal, true);
  } finally {
    clearTimeout(timer);
  }
}

/** What went wrong on the way; the reason of an aborted signal, and mistakes, come back as they are. */
export function failureOf(thrown: unknown, signal: AbortSignal, wasSent: boolean): unknown {
  if (signal.aborted) return signal.reason;
  if (!(thrown instanceof UpstreamFailure)) return thrown;
  const { kind, message, error } = thrown;
  if (kind === 'auth') return new ProviderFailure(message, { kind: 'denied', cause: thrown });
  const isUncertain = wasSent && error !== 'connect';
  return new ProviderFailure(message, { kind: 'unavailable', isUncertain, cause: thrown });
}

interface Refusal extends Pick<HttpAnswer, 'status' | 'headers'> {
  readonly text: string;
}

function refused(
  { status, headers, text }: Refusal,
  call: GoogleCall,
  redact: (text: string) => string,
  now: number,
): ProviderFailure {
  const providerMessage = parseJson(text);
  const report = readReport(Array.isArray(providerMessage) ? providerMessage[0] : providerMessage);
  const message = redact(report.message ?? `Google answered with status ${status}`);
  const reasons = reasonsIn(providerMessage);
  const kind = kindOf(status, message, reasons);
  const isPermission = status === 403 && !reasons.some((reason) => SWITCHED_OFF.test(reason));
  if (kind === 'denied' && isPermission) {
    const permission = PERMISSION.exec(message)?.[0] ?? call.permission;
    return new ProviderFailure(`the service account needs ${permission}: ${message}`, { kind, permission });
  }
  return new ProviderFailure(message, {
    kind,
    retryAfterMs: retryAfterMs(headers, now),
    isUncertain: status >= 500,
  });
}

/** Reasons of a service or a project that is not in use: no permission would help. */
const SWITCHED_OFF = /disabled|suspended|accessNotConfigured/i;

const PERMISSION = /\b(?:storage|aiplatform)\.[a-zA-Z]+\.[a-zA-Z]+\b/;

/** What the first batch of a project may be told, some minutes long. */
export const UNPROVISIONED = /service agents? (?:are|is) (?:still )?being provisioned/i;

/** Limits that storage tells of with the status of a missing permission. */
const LIMIT_REASONS: ReadonlySet<unknown> = new Set(['rateLimitExceeded', 'userRateLimitExceeded']);

function kindOf(status: number, message: string, reasons: readonly unknown[]): ProviderFailureKind {
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

/** Storage tells them in `errors`, the others in `details`. */
function reasonsIn(providerMessage: unknown): readonly string[] {
  const { errors, details } = members(members(providerMessage).error);
  return [...elements(errors), ...elements(details)].flatMap((one) => textOf(members(one).reason) ?? []);
}
