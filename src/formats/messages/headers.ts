/** Headers of the Messages API. */
import type { ApiHeaders, PassedHeader } from '../api-headers.js';

/** The header that names beta features. */
export const BETA_HEADER = 'anthropic-beta';

/** The header that names the version of the API that a client is written for. */
export const VERSION_HEADER = 'anthropic-version';

export const MESSAGES_HEADERS: readonly PassedHeader[] = [
  // More names than anybody needs.
  { name: BETA_HEADER, value: /^[\w.-]{1,100}$/, maxValues: 50 },
  { name: VERSION_HEADER, value: /^[\w.-]{1,40}$/, maxValues: 1 },
];

const NONE: readonly string[] = [];

/** The beta features that the client names. */
export function betasIn(headers: ApiHeaders | undefined): readonly string[] {
  return headers?.[BETA_HEADER] ?? NONE;
}

export function versionIn(headers: ApiHeaders | undefined): string | undefined {
  return headers?.[VERSION_HEADER]?.[0];
}

export function withBetas(headers: ApiHeaders | undefined, betas: readonly string[]): ApiHeaders {
  return { ...headers, [BETA_HEADER]: betas };
}
