import { BETA_HEADER, VERSION_HEADER } from '../../../formats/messages/headers.js';
import { openHeaders } from '../../../formats/shared-capacity/open-headers.js';
import type { CallCommons } from '../../../inference/ports/adapter.js';
import type { MessagesTarget } from './target.js';

/** The latest version that accepts temperature, top_p and top_k, which models before Claude 4.7 have. */
const API_VERSION = '2023-06-01';

/** The header with the names of beta features; empty if there are none. */
export function betaHeader(names: readonly string[]): Readonly<Record<string, string>> {
  return names.length === 0 ? {} : { [BETA_HEADER]: names.join(',') };
}

/** Headers that nobody here knows, and what authenticates the request. */
export function targetHeaders(
  { headers, takesOpenHeaders }: MessagesTarget,
  { apiHeaders, hostHeaders }: Pick<CallCommons, 'apiHeaders' | 'hostHeaders'>,
): Readonly<Record<string, string>> {
  return takesOpenHeaders === true
    ? { ...openHeaders(apiHeaders, hostHeaders?.values), ...headers }
    : headers;
}

/** The headers of every request. */
export function messagesHeaders(
  betas: readonly string[],
  version = API_VERSION,
): Readonly<Record<string, string>> {
  return { [VERSION_HEADER]: version, ...betaHeader(betas) };
}
