/** Validates the host that a request is made to, which URLs in answers repeat. */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { LruMap } from '../../base/memory/lru-map.js';
import { hostOfTarget } from './request-target.js';

/** A name has at most 253 characters (RFC 1035 section 2.3.4); an address in brackets is shorter. A port may follow. */
const MAX_AUTHORITY_CHARACTERS = 253 + ':65535'.length;

const MAX_PORT = 65_535;

/**
 * A host and an optional port, as in RFC 3986 section 3.2 without user information; names have only characters
 * without a meaning of their own in URLs.
 */
const AUTHORITY = /^(?:\[([0-9A-Fa-f:.]+)\]|[A-Za-z0-9._~-]+)(?::([0-9]*))?$/;

/** Valid hosts that are cached: a server has few, but clients may make up any. */
const MAX_CACHED_HOSTS = 64;

const validHosts = new LruMap<string, true>(MAX_CACHED_HOSTS);

/**
 * Whether the request names exactly one host that can stand in a URL (RFC 9112 section 3.2). A `Host` must equal that of
 * a target in absolute form, and over HTTP/2 `:authority` (RFC 9113 section 8.3.1).
 */
export function namesOneHost({
  headers,
  rawHeaders,
  url = '',
}: Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'url'>): boolean {
  const { ':authority': authority = hostOfTarget(url), host = authority } = headers;
  if (typeof host !== 'string' || (authority !== undefined && authority !== host)) return false;
  return isAuthority(host) && !hasSeveralHosts(rawHeaders);
}

/** Whether the text is a host, with or without a port, that can stand in a URL. */
export function isAuthority(text: string): boolean {
  if (text.length > MAX_AUTHORITY_CHARACTERS) return false;
  if (validHosts.get(text) === true) return true;
  const match = AUTHORITY.exec(text);
  if (match === null || !URL.canParse(`http://${text}`)) return false;
  const [, address, port = ''] = match;
  if ((address !== undefined && !isIPv6(address)) || Number(port) > MAX_PORT) return false;
  validHosts.set(text, true);
  return true;
}

function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count > 1;
}
