/** What can go wrong with a provider's answer, in the words of each platform. */

import { error } from '../../support/fakes/fake-anthropic/errors.js';
import { FILTERED_PROMPT } from '../../support/fakes/fake-azure/errors.js';
import { typed } from '../../support/fakes/fake-bedrock/errors.js';
import { googleError } from '../../support/fakes/fake-vertex/error.js';
import type { Platform } from '../../support/platforms.js';

/** Attempts of a plan. */
export const ATTEMPTS = [0, 1, 2] as const;

/** A fault before the first content. */
export interface Fault {
  readonly name: string;
  /** What the fake does at the attempt of this position. */
  readonly plan: (platform: Platform, position: number) => object;
  /** What is told of the attempt: its status and its error word. */
  readonly told: (platform: Platform, isStreamed: boolean) => readonly [number | null, string | null];
  /** What the caller is told when all attempts fail so. */
  readonly exhausted: { readonly status: number; readonly reason: string; readonly retryAfter?: string };
  /** Whether it takes a timeout to notice. */
  readonly isInHaste: boolean;
}

const FAILED = { status: 502, reason: 'upstream_failed' };

/** What each attempt asks to wait, in seconds. */
const WAITS = ['9', '7', '8'];

/** What the provider says at 400. */
export const INVALID = 'The value of that is out of its range';

/** Time that an attempt has where it is to run out. */
export const TIMEOUT_MS = 2000;

function refusing(status: number, exhausted: Fault['exhausted']): Fault {
  return {
    name: String(status),
    plan: (platform, position) => {
      const { headers, ...refusal } = refusalOf(platform, status);
      const wait = status === 429 ? { 'retry-after': WAITS[position] ?? '' } : {};
      return { ...refusal, headers: { ...headers, ...wait } };
    },
    told: () => [status, null],
    exhausted,
    isInHaste: false,
  };
}

/** A refusal in the platform's own words. */
function refusalOf(platform: Platform, status: number): { headers?: object; status: number; body: unknown } {
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

/** What a provider's filter makes of a request. */
export function filteredPlan({ slug, fake }: Platform): object {
  if (slug === 'vertex-gemini') {
    const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } };
    return { answer: blocked, chunks: [blocked] };
  }
  if (slug === 'vertex-claude' || fake === 'anthropic') return { content: [], stopReason: 'refusal' };
  if (fake === 'bedrock') return { stopReason: 'guardrail_intervened' };
  return FILTERED_PROMPT;
}

/** All faults that the next attempt makes good. */
export const FAULTS: readonly Fault[] = [
  refusing(429, { status: 429, reason: 'upstream_rate_limited', retryAfter: '7' }),
  refusing(500, FAILED),
  refusing(401, FAILED),
  refusing(403, FAILED),
  refusing(400, { status: 400, reason: 'upstream_invalid_request' }),
  {
    name: 'silent',
    plan: () => ({ delayMs: 4 * TIMEOUT_MS }),
    told: () => [null, 'timeout'],
    exhausted: FAILED,
    isInHaste: true,
  },
  {
    name: 'stall',
    plan: () => ({ stallAfter: 0 }),
    told: () => [200, 'timeout'],
    exhausted: FAILED,
    isInHaste: true,
  },
  {
    name: 'reset',
    plan: () => ({ reset: true }),
    told: () => [null, 'reset'],
    exhausted: FAILED,
    isInHaste: false,
  },
  {
    name: 'cut',
    plan: () => ({ cutAfterBytes: 10 }),
    told: () => [200, 'reset'],
    exhausted: FAILED,
    isInHaste: false,
  },
  {
    name: 'short',
    plan: () => ({ endAfterBytes: 10 }),
    told: (_, isStreamed) => [200, isStreamed ? 'truncated' : 'malformed'],
    exhausted: FAILED,
    isInHaste: false,
  },
];
