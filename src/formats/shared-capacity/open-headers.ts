/**
 * Headers of the Messages API that nobody here knows: an open list, since clients send newer ones than the gateway. Looked up on
 * 2026-11-26. In words: `docs/messages.md#headers`.
 */
import { hostOf } from '../../catalog/known-hosts.js';
import type { Provider } from '../../catalog/types.js';
import type { ApiHeaders } from '../api-headers.js';
import { BETA_HEADER, VERSION_HEADER } from '../messages/headers.js';

/** All of the API's headers begin so. */
const MESSAGES_PREFIX = 'anthropic-';

/** More than anybody sends: the SDKs know six. */
const MAX_HEADERS = 20;
const MAX_NAME_CHARACTERS = 64;

/** Visible ASCII characters and spaces. */
const VALUE = /^[\x20-\x7e]{1,1024}$/;
const NAME = /^[a-z0-9-]+$/;

/** Those that carry a credential of their sender's. */
const CREDENTIAL =
  /-(?:api-?key|key|token|auth|authorization|bearer|secret|password|credentials?|cookie|signature)(?:-|$)/;

/**
 * Those that name something of the sender's account at the host, which only its own credential reaches: `anthropic-workspace-id`
 * (https://docs.aws.amazon.com/claude-platform/latest/userguide/making-requests.html), `anthropic-user-profile-id` (npm
 * @anthropic-ai/sdk, MessageCreateParams), `anthropic-organization-id` (https://docs.claude.com/en/api/overview).
 */
const OWNED = /-(?:workspace|organization|org|account|user|profile|project|tenant)(?:-|$)/;

/** Those that cost nothing: they say who asks. */
const FREE = /^anthropic-(?:client-[a-z-]+|dangerous-direct-browser-access)$/;

/** The open headers among these; undefined without any. */
export function openHeadersIn(headers: Iterable<readonly [string, string]>): ApiHeaders | undefined {
  const found: [string, readonly string[]][] = [];
  for (const [name, value] of headers) {
    if (!name.startsWith(MESSAGES_PREFIX) || isNamed(name)) continue;
    const isTaken = NAME.test(name) && name.length <= MAX_NAME_CHARACTERS && VALUE.test(value);
    if (!isTaken || CREDENTIAL.test(name)) continue;
    found.push([name, [value]]);
    if (found.length === MAX_HEADERS) break;
  }
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** Those that have rules of their own. */
function isNamed(name: string): boolean {
  return name === BETA_HEADER || name === VERSION_HEADER;
}

/** Makers of copies that are known by nothing else here. */
const COPIES = /\/\/api\.minimaxi?\.(?:io|com|chat)(?:[:/]|$)/i;

/**
 * Whether the host is Anthropic's, or one of which nothing else is known than that it speaks Anthropic's API. Other makers are sent
 * the headers that they document.
 */
export function takesOpenHeaders(provider: Pick<Provider, 'slug' | 'adapter' | 'baseUrl'>): boolean {
  return (
    provider.adapter === 'anthropic' && hostOf(provider) === undefined && !COPIES.test(provider.baseUrl ?? '')
  );
}

/** The open headers for such a host, but for those that the operator sends it. */
export function openHeaders(
  headers: ApiHeaders | undefined,
  set: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const own = new Set(Object.keys(set).map((name) => name.toLowerCase()));
  const open = Object.entries(headers ?? {}).filter(([name]) => !isNamed(name) && !own.has(name));
  return Object.fromEntries(open.map(([name, values]) => [name, values.join(', ')]));
}

/** The headers as they may be sent with the operator's credential, and the names of the others. */
interface SharedHeaders {
  readonly headers: ApiHeaders;
  readonly leftOut: readonly string[];
}

/**
 * What has no price stays out, and what names something of the sender's account. `isPriced`: whether the endpoint charges for what
 * it does; `admitted`: what the operator has admitted there. Undefined if all may be sent.
 */
export function sharedHeaders(
  headers: ApiHeaders,
  isPriced: boolean,
  admitted: ReadonlySet<string>,
): SharedHeaders | undefined {
  const isSent = (name: string) =>
    isNamed(name) || (!OWNED.test(name) && (!isPriced || FREE.test(name))) || admitted.has(name);
  const names = Object.keys(headers);
  if (names.every(isSent)) return undefined;
  return {
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => isSent(name))),
    leftOut: names.filter((name) => !isSent(name)),
  };
}
