/** What the outcome of a call with a key says of the key (interface section 4). */
import type { AdapterName, Endpoint, Provider } from '../../catalog/types.js';
import type { Credential } from '../credential.js';
import { withoutCredential } from '../without-credential.js';
import type { Hints } from './test-hints.js';

/** What a test comes to, in one stable word. */
export type TestReason =
  | 'ok'
  | 'invalid_credential'
  | 'missing_permission'
  | 'rate_limited'
  | 'invalid_request'
  | 'not_found'
  | 'unreachable'
  | 'timeout'
  | 'provider_error'
  | 'credential_unusable'
  | 'no_endpoint';

/** The result of a test. */
export interface KeyTest {
  /**
   * Whether the provider takes the credential. A rate limit and a refusal of the request say so too: providers look
   * at who asks before they count or read what is asked.
   */
  readonly ok: boolean;
  /** HTTP status of the provider's answer; null when none came. */
  readonly status: number | null;
  readonly reason: TestReason;
  /** One sentence for a person, without any part of the credential. */
  readonly detail: string;
  /** How long the call took; 0 when none was made. */
  readonly latencyMs: number;
}

/** What became of the call. */
export interface TestOutcome {
  readonly status: number | null;
  readonly latencyMs: number;
  /** null when the provider answered. */
  readonly failure: TestFailure | null;
}

/** How the call failed, in the words of an attempt that fails. */
export interface TestFailure {
  readonly kind: 'invalid_request' | 'auth' | 'rate_limit' | 'upstream_error' | 'content_filter';
  /** What went wrong where no status says it. */
  readonly error: string | null;
  readonly message: string;
}

/** What was called, and with what. */
export interface TestTarget {
  readonly provider: Provider;
  readonly endpoint: Endpoint;
  readonly credential: Credential;
}

/** The verdict on the key that the call was made with. */
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
  const providerMessage = quoted(withoutCredential(failure.message, credential));
  const detail = DETAILS[reason]({ provider: provider.name, model: modelId, providerMessage, hints });
  return { ok: PROOFS.has(reason), status, reason, detail, latencyMs };
}

/** A test in which nothing could be called. */
export function untried(reason: 'credential_unusable' | 'no_endpoint', detail: string): KeyTest {
  return { ok: false, status: null, reason, detail, latencyMs: 0 };
}

type FailedReason = Exclude<TestReason, 'ok' | 'no_endpoint'>;

/** Failures that only a credential gets which is taken. */
const PROOFS: ReadonlySet<TestReason> = new Set(['rate_limited', 'invalid_request']);

/** Some say that they are overloaded in the words of a rate limit, whoever asks. */
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
    case 'upstream_error':
      if (failure.error === 'timeout') return 'timeout';
      return status === null && UNREACHED.has(failure.error) ? 'unreachable' : 'provider_error';
  }
}

const UNREACHED: ReadonlySet<string | null> = new Set(['connect', 'reset']);

/** Platform B refuses with 403 whatever it refuses; its words tell a credential that it does not know. */
const UNKNOWN_TO_BEDROCK = /security token|signature|api key|bearer token|authentication/i;

function isPermission({ message }: TestFailure, status: number | null, adapter: AdapterName): boolean {
  if (status !== 402 && status !== 403) return false;
  return adapter !== 'amazon-bedrock' || !UNKNOWN_TO_BEDROCK.test(message);
}

interface Told {
  readonly provider: string;
  readonly model: string;
  readonly providerMessage: string;
  readonly hints: Hints;
}

const DETAILS: Record<FailedReason, (told: Told) => string> = {
  invalid_credential: ({ provider, providerMessage, hints }) =>
    `${provider} refused the credential (${providerMessage}): ${hints.credential}.`,
  missing_permission: ({ provider, model, providerMessage, hints }) =>
    `${provider} does not let the credential use ${model} (${providerMessage}): ${hints.permission}.`,
  rate_limited: ({ provider, providerMessage }) =>
    `${provider} took the credential and is rate limiting it (${providerMessage}).`,
  invalid_request: ({ provider, model, providerMessage }) =>
    `${provider} took the credential and refused the test of ${model} (${providerMessage}).`,
  not_found: ({ provider, model, providerMessage, hints }) =>
    `${provider} did not find ${model} where the credential leads (${providerMessage}): ${hints.place}.`,
  unreachable: ({ provider, providerMessage, hints }) =>
    `${provider} could not be reached (${providerMessage}): ${hints.host}.`,
  timeout: ({ provider, model, providerMessage, hints }) =>
    `${provider} did not answer with ${model} in time (${providerMessage}): try again, or ${hints.host}.`,
  provider_error: ({ provider, model, providerMessage }) =>
    `${provider} failed to answer with ${model} (${providerMessage}).`,
  credential_unusable: ({ providerMessage }) => `The stored credential cannot be used (${providerMessage}).`,
};

/** As much of a provider's message as belongs in a sentence. */
const MAX_SAID_CHARACTERS = 300;

function quoted(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
  const isLong = line.length > MAX_SAID_CHARACTERS;
  return `"${isLong ? `${line.slice(0, MAX_SAID_CHARACTERS - 1)}…` : line}"`;
}
