/** The network that a request comes from. */
import { isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Groups of an IPv6 address that name a network; its owner has all addresses in it (RFC 6177). */
const NETWORK_GROUPS = 4;

/**
 * The network of a request's client: an IPv4 address, or the first 64 bits of an IPv6 one. Without `trustedProxies` it
 * is the connection's. With them it is the entry that many places from the right of `X-Forwarded-For`, since clients
 * can forge those before it; for a request that did not come through all proxies it is the connection's again.
 */
export function clientNetwork(
  { ip, headers }: Pick<FastifyRequest, 'headers' | 'ip'>,
  trustedProxies: number,
): string {
  const forwarded = trustedProxies === 0 ? undefined : headers['x-forwarded-for'];
  const entries = forwarded === undefined ? [] : [forwarded].flat().join(',').split(',');
  return networkOf(entries.at(-trustedProxies) ?? '') ?? networkOf(ip ?? '') ?? '';
}

/** Undefined for a text that is no address. */
function networkOf(text: string): string | undefined {
  const address = withoutPort(text.trim());
  switch (isIP(address)) {
    case 4:
      return address;
    case 6:
      return ipv4Within(address) ?? ipv6Network(address);
    default:
      return undefined;
  }
}

/** Some proxies write the client's port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  if (text.startsWith('[')) return text.slice(1, text.indexOf(']'));
  const colon = text.indexOf(':');
  return colon === text.lastIndexOf(':') && colon !== -1 ? text.slice(0, colon) : text;
}

/** The IPv4 address of a client as an IPv6 socket shows it (`::ffff:192.0.2.1`). */
function ipv4Within(address: string): string | undefined {
  const last = address.slice(address.lastIndexOf(':') + 1);
  return isIPv4(last) && address.toLowerCase().startsWith('::ffff:') ? last : undefined;
}

function ipv6Network(address: string): string {
  const [bare = ''] = address.split('%');
  // The URL standard's spelling: lower case, no leading zeros, no IPv4 at the end.
  const { hostname } = new URL(`http://[${bare}]/`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const behind = tail === '' ? 0 : tail.split(':').length;
    groups.push(...Array<string>(8 - groups.length - behind).fill('0'));
    if (behind > 0) groups.push(...tail.split(':'));
  }
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
