/** The verdict on a key, from the outcome of a call with it. */
import type { AdapterName, Endpoint, Provider } from '../../catalog/types.js';
import type { Credential } from '../kinds/credential.js';
import { redactCredential } from './redact-credential.js';
import type { Hints } from './test-hints.js';

/** Stable: clients may depend on them. */
export type TestReason =
  | 'ok'
  | 'invalid_credential'
  | 'missing_permission'
  | 'quota_exhausted'
  | 'rate_limited'
  | 'invalid_request'
  | 'not_found'
  | 'unreachable'
  | 'timeout'
  | 'provider_error'
  | 'credential_unusable'
  | 'no_endpoint';

export interface KeyTest {
  /**
   * Whether the provider accepts the credential. A rate limit or an invalid request proves it too: providers
   * authenticate before they count or read requests.
   */
  readonly ok: boolean;
  /** HTTP status of the provider's response; null without one. */
  readonly status: number | null;
  readonly reason: TestReason;
  /** One human-readable sentence, without any part of the credential. */
  readonly detail: string;
  /** 0 when no call was made. */
  readonly latencyMs: number;
}

export interface TestOutcome {
  readonly status: number | null;
  readonly latencyMs: number;
  /** null when the provider answered. */
  readonly failure: TestFailure | null;
}

/** Kind and error as of a failed attempt. */
export interface TestFailure {
  readonly kind: 'invalid_request' | 'auth' | 'quota' | 'rate_limit' | 'upstream_error' | 'content_filter';
  /** The failure's name where there is no status. */
  readonly error: string | null;
  readonly message: string;
  /** What may be done, as the end of a sentence. */
  readonly advice?: string | null;
}

export interface TestTarget {
  readonly provider: Provider;
  readonly endpoint: Endpoint;
  readonly credential: Credential;
}

export function verdictOn(
  target: TestTarget,
  hints: Hints,
  { status, latencyMs, failure }: TestOutcome,
): KeyTest {
  const { provider, endpoint, credential } = target;
  const { modelId } = endpoint;
  if (failure === null) {
    return {
      ok: true,
      status,
      reason: 'ok',
      detail: `${provider.name} answered with ${modelId}.`,
      latencyMs,
    };
  }
  const reason = reasonOf(failure, status, provider.adapter);
  const providerMessage = quoted(redactCredential(failure.message, credential));
  const detail = DETAILS[reason]({
    ...{ provider: provider.name, model: modelId, providerMessage, hints },
    advice: failure.advice ?? null,
  });
  return { ok: TAKEN_REASONS.has(reason), status, reason, detail, latencyMs };
}

/** The verdict where no call could be made. */
export function untried(reason: 'credential_unusable' | 'no_endpoint', detail: string): KeyTest {
  return { ok: false, status: null, reason, detail, latencyMs: 0 };
}

type FailedReason = Exclude<TestReason, 'ok' | 'no_endpoint'>;

/** Failures that prove that the credential was accepted. */
const TAKEN_REASONS: ReadonlySet<TestReason> = new Set(['rate_limited', 'invalid_request']);

/** Reported as a rate limit, but independent of the credential. */
const OVERLOADED = 529;

function reasonOf(failure: TestFailure, status: number | null, adapter: AdapterName): FailedReason {
  switch (failure.kind) {
    case 'rate_limit':
      return status === OVERLOADED ? 'provider_error' : 'rate_limited';
    case 'content_filter':
      return 'invalid_request';
    case 'invalid_request':
      return status === 404 ? 'not_found' : 'invalid_request';
    case 'auth':
      if (failure.error === 'credential') return 'credential_unusable';
      return isPermission(failure, status, adapter) ? 'missing_permission' : 'invalid_credential';
    case 'quota':
      return 'quota_exhausted';
    case 'upstream_error':
      if (failure.error === 'timeout') return 'timeout';
      return status === null && UNREACHABLE_ERRORS.has(failure.error) ? 'unreachable' : 'provider_error';
  }
}

const UNREACHABLE_ERRORS: ReadonlySet<string | null> = new Set(['connect', 'dns', 'proxy', 'reset', 'tls']);

/** Words by which a 403 is about a credential that is not known, where hosts have no 401 for it; null where they have. */
const UNKNOWN_CREDENTIAL: Readonly<Record<AdapterName, RegExp | null>> = {
  openai: null,
  anthropic: null,
  azure: null,
  'amazon-bedrock': /security token|signature|api key|bearer token|authentication/i,
  'google-vertex': null,
  demo: null,
};

function isPermission({ message }: TestFailure, status: number | null, adapter: AdapterName): boolean {
  return status === 403 && UNKNOWN_CREDENTIAL[adapter]?.test(message) !== true;
}

interface DetailContext {
  readonly provider: string;
  readonly model: string;
  readonly providerMessage: string;
  readonly hints: Hints;
  readonly advice: string | null;
}

const DETAILS: Record<FailedReason, (context: DetailContext) => string> = {
  invalid_credential: ({ provider, providerMessage, hints }) =>
    `${provider} refused the credential (${providerMessage}): ${hints.credential}.`,
  missing_permission: ({ provider, model, providerMessage, hints }) =>
    `${provider} does not let the credential use ${model} (${providerMessage}): ${hints.permission}.`,
  quota_exhausted: ({ provider, providerMessage }) =>
    `${provider} took the credential, whose account has no balance or quota left (${providerMessage}): top it up at ` +
    `${provider}, or raise its limit.`,
  rate_limited: ({ provider, providerMessage }) =>
    `${provider} took the credential and is rate limiting it (${providerMessage}).`,
  invalid_request: ({ provider, model, providerMessage }) =>
    `${provider} took the credential and refused the test of ${model} (${providerMessage}).`,
  not_found: ({ provider, model, providerMessage, hints }) =>
    `${provider} did not find ${model} where the credential leads (${providerMessage}): ${hints.location}.`,
  unreachable: ({ provider, providerMessage, hints, advice }) =>
    `${provider} could not be reached (${providerMessage}): ${withHint(advice, hints.host)}.`,
  timeout: ({ provider, model, providerMessage, hints, advice }) =>
    `${provider} did not answer with ${model} in time (${providerMessage}): try again, or ${withHint(advice, hints.host)}.`,
  provider_error: ({ provider, model, providerMessage }) =>
    `${provider} failed to answer with ${model} (${providerMessage}).`,
  credential_unusable: ({ providerMessage }) => `The stored credential cannot be used (${providerMessage}).`,
};

function withHint(advice: string | null, hint: string): string {
  return advice === null ? hint : `${advice}; ${hint}`;
}

/** How much of a provider's message is quoted. */
const MAX_QUOTED_CHARACTERS = 300;

function quoted(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
  const isLong = line.length > MAX_QUOTED_CHARACTERS;
  return `"${isLong ? `${line.slice(0, MAX_QUOTED_CHARACTERS - 1)}…` : line}"`;
}
