import { trimEnd } from './text.js';

/**
 * The name or address in a host with or without a port, in the spelling in which hosts are compared: that of the URL
 * standard (lower case, `xn--`, shortest IPv6), without a port and without the dot that may end a name. Undefined for
 * what can't be a host.
 */
export function hostName(host: string): string | undefined {
  const url = `http://${host}`;
  if (!URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

/** The path of an absolute URL without slashes at its end: empty for a root, and for null. */
export function pathOfUrl(url: string | null): string {
  return url === null ? '' : trimEnd(new URL(url).pathname, '/');
}
