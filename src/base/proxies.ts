/** The proxies between the gateway and whatever it calls, and which hosts are called without one. */
import { BlockList, isIP } from 'node:net';

/** URLs are `http:` or `https:`, and may hold a user name and password. */
export interface Proxies {
  /** For `https:` targets; null = none. */
  readonly https: URL | null;
  /** For `http:` targets; null = none. */
  readonly http: URL | null;
  /** Entries of `NO_PROXY`. */
  readonly exempt: readonly string[];
}

export const NO_PROXIES: Proxies = { https: null, http: null, exempt: [] };

/** What a connection is for: of a URL, or of a connector's options. */
export interface ProxyTarget {
  readonly protocol: string;
  /** IPv6 addresses with or without brackets. */
  readonly hostname: string;
  /** Empty = that of the protocol. */
  readonly port: string;
}

/** The proxy that leads to the target; null where it is called directly. */
export function proxyTo({ https, http, exempt }: Proxies, target: ProxyTarget): URL | null {
  const isSecure = target.protocol === 'https:';
  const proxy = isSecure ? https : http;
  if (proxy === null) return null;
  const host = bareHost(target.hostname);
  const port = target.port === '' ? (isSecure ? '443' : '80') : target.port;
  return exempt.some((entry) => isExempt(entry, host, port)) ? null : proxy;
}

/**
 * As libcurl reads `NO_PROXY` (https://curl.se/libcurl/c/CURLOPT_NOPROXY.html): `*` is every host; a name is itself and
 * everything below it, with or without a leading dot; an address is itself, with a prefix length a network. And as Go, Node
 * and Python do: `*.name` is everything below it, `host:port` is that port alone.
 */
function isExempt(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const named = /^(\[[^\]]*\]|[^:[\]]+):(\d+)$/.exec(entry);
  if (named !== null && named[2] !== port) return false;
  const pattern = bareHost((named?.[1] ?? entry).replace(/^\*?\./, ''));
  if (isIP(host) !== 0) return isAddressIn(pattern, host);
  return pattern !== '' && (host === pattern || host.endsWith(`.${pattern}`));
}

function isAddressIn(pattern: string, address: string): boolean {
  const [network = '', prefix] = pattern.split('/', 2);
  const family = isIP(network);
  if (family === 0 || family !== isIP(address)) return false;
  const bits = prefix === undefined ? widthOf(family) : Number(prefix);
  if (!(Number.isInteger(bits) && bits >= 0 && bits <= widthOf(family))) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, bits, type);
  return list.check(address, type);
}

function widthOf(family: number): number {
  return family === 4 ? 32 : 128;
}

/** In lower case, without brackets and final dot. */
function bareHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}
