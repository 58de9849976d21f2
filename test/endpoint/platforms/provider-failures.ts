/** Failures of a provider, in the format of each platform. */

import { error } from '../../support/fakes/fake-anthropic/errors.js';
import { FILTERED_PROMPT } from '../../support/fakes/fake-azure/errors.js';
import { typed } from '../../support/fakes/fake-bedrock/errors.js';
import { googleError } from '../../support/fakes/fake-vertex/error.js';
import type { Platform } from '../../support/platforms.js';

/** Attempts of a plan. */
export const ATTEMPTS = [0, 1, 2] as const;

/** A failure before the first content. */
export interface ProviderFailure {
  readonly name: string;
  /** The fake's plan for the attempt at this position. */
  readonly plan: (platform: Platform, position: number) => object;
  /** The recorded status and error of the attempt. */
  readonly recorded: (platform: Platform, isStreamed: boolean) => readonly [number | null, string | null];
  /** The caller's error when all attempts fail like this. */
  readonly whenAllFail: { readonly status: number; readonly reason: string; readonly retryAfter?: string };
  /** Whether only a timeout ends the attempt. */
  readonly isInHaste: boolean;
}

const FAILED = { status: 502, reason: 'upstream_failed' };
const KEY_REFUSED = { status: 502, reason: 'upstream_credential_refused' };

/** `Retry-After` of each attempt, in seconds. */
const WAITS = ['9', '7', '8'];

/** The provider's message with 400. */
export const INVALID = 'The value of that is out of its range';

/** Timeout of attempts that are meant to time out. */
export const TIMEOUT_MS = 2000;

function refusing(status: number, whenAllFail: ProviderFailure['whenAllFail']): ProviderFailure {
  return {
    name: String(status),
    plan: (platform, position) => {
      const { headers, ...refusal } = refusalOf(platform, status);
      const wait = status === 429 ? { 'retry-after': WAITS[position] ?? '' } : {};
      return { ...refusal, headers: { ...headers, ...wait } };
    },
    recorded: () => [status, null],
    whenAllFail,
    isInHaste: false,
  };
}

/** An error in the platform's own format. */
export function refusalOf(
  platform: Pick<Platform, 'fake'>,
  status: number,
): { headers?: object; status: number; body: unknown } {
  const message = status === 400 ? INVALID : `A refusal with ${status}`;
  switch (platform.fake) {
    case 'anthropic':
      return error(status, ANTHROPIC_TYPES[status] ?? '', message);
    case 'bedrock':
      return typed(status, BEDROCK_TYPES[status] ?? '', message);
    case 'vertex':
      return googleError(status, GOOGLE_WORDS[status] ?? '', message);
    default:
      return { status, body: { error: { message, type: 'an_error', param: null, code: String(status) } } };
  }
}

type Words = Readonly<Record<number, string>>;

const ANTHROPIC_TYPES: Words = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
  500: 'api_error',
};

const BEDROCK_TYPES: Words = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
};

const GOOGLE_WORDS: Words = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
};

/** The answer of a provider's content filter. */
export function filteredPlan({ slug, fake }: Platform): object {
  if (slug === 'vertex-gemini') {
    const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } };
    return { answer: blocked, chunks: [blocked] };
  }
  if (slug === 'vertex-claude' || fake === 'anthropic') return { content: [], stopReason: 'refusal' };
  if (fake === 'bedrock') return { stopReason: 'guardrail_intervened' };
  return FILTERED_PROMPT;
}

/** The failures after which the next attempt is made. */
export const PROVIDER_FAILURES: readonly ProviderFailure[] = [
  refusing(429, { status: 429, reason: 'upstream_rate_limited', retryAfter: '7' }),
  refusing(500, FAILED),
  refusing(401, KEY_REFUSED),
  refusing(403, KEY_REFUSED),
  refusing(400, { status: 400, reason: 'upstream_invalid_request' }),
  {
    name: 'silent',
    plan: () => ({ delayMs: 4 * TIMEOUT_MS }),
    recorded: () => [null, 'timeout'],
    whenAllFail: FAILED,
    isInHaste: true,
  },
  {
    name: 'stall',
    plan: () => ({ stallAfter: 0 }),
    recorded: () => [200, 'timeout'],
    whenAllFail: FAILED,
    isInHaste: true,
  },
  {
    name: 'reset',
    plan: () => ({ reset: true }),
    recorded: () => [null, 'reset'],
    whenAllFail: FAILED,
    isInHaste: false,
  },
  {
    name: 'cut',
    plan: () => ({ cutAfterBytes: 10 }),
    recorded: () => [200, 'reset'],
    whenAllFail: FAILED,
    isInHaste: false,
  },
  {
    name: 'short',
    plan: () => ({ endAfterBytes: 10 }),
    recorded: (_, isStreamed) => [200, isStreamed ? 'truncated' : 'malformed'],
    whenAllFail: FAILED,
    isInHaste: false,
  },
];
