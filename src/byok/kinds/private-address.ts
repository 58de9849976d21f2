/**
 * Detects hosts in the operator's own network, which a caller's credential must not make the gateway call (SSRF). Names
 * are checked when the credential is stored, their addresses when connecting.
 */
import { BlockList, isIP } from 'node:net';

/**
 * Whether a URL's host may lie in a private network: a private address in any spelling (dotted, decimal, hex, octal,
 * IPv6, IPv4 in IPv6), a name that only resolves locally, or an invalid host.
 */
export function isPrivateHost(host: string): boolean {
  const canonical = canonicalHost(host);
  if (canonical === undefined) return true;
  if (isIP(canonical) !== 0) return isPrivateAddress(canonical);
  if (!canonical.includes('.')) return true;
  return LOCAL_SUFFIXES.some((suffix) => canonical.endsWith(suffix));
}

/** Whether an IP address of a resolver or a socket is not a public unicast address. */
export function isPrivateAddress(address: string): boolean {
  const [bare = ''] = address.split('%');
  const family = isIP(bare);
  if (family === 0) return true;
  if (family === 4) return PRIVATE_IPV4.check(bare, 'ipv4');
  const embedded = embeddedIpv4(bare);
  return embedded === undefined ? PRIVATE_IPV6.check(bare, 'ipv6') : PRIVATE_IPV4.check(embedded, 'ipv4');
}

/** Names that never resolve to a public host: RFC 6761, RFC 6762, RFC 8375, and the common private zones. */
const LOCAL_SUFFIXES = [
  '.localhost',
  '.local',
  '.localdomain',
  '.internal',
  '.intranet',
  '.lan',
  '.home.arpa',
];

/** IANA's special-purpose registry: whatever is not globally reachable unicast. */
const PRIVATE_IPV4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]);

/** `2001::/23` contains Teredo, `2002::/16` is 6to4: both can hide an IPv4 address and neither is in use. */
const PRIVATE_IPV6 = blockList('ipv6', [
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]);

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}

/** The host in the URL standard's form, without brackets and final dot; undefined when invalid. */
function canonicalHost(host: string): string | undefined {
  const bare = host.replace(/^\[|\]$/g, '');
  const written = isIP(bare) === 6 ? `[${bare}]` : bare;
  if (!URL.canParse(`http://${written}/`)) return undefined;
  const url = new URL(`http://${written}/`);
  if (url.username !== '' || url.password !== '' || url.pathname !== '/' || url.search !== '')
    return undefined;
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** The IPv4 address in an IPv6 address: mapped (`::ffff:0:0/96`), translated (`::ffff:0:0:0/96`) or NAT64. */
function embeddedIpv4(address: string): string | undefined {
  const groups = canonicalHost(address)
    ?.split('::')
    .map((half) => (half === '' ? [] : half.split(':')));
  if (groups === undefined) return undefined;
  const [head = [], tail] = groups;
  const middle = tail === undefined ? [] : Array<string>(8 - head.length - tail.length).fill('0');
  const all = [...head, ...middle, ...(tail ?? [])];
  if (!EMBEDDING_PREFIXES.includes(all.slice(0, 6).join(':'))) return undefined;
  const low = all.slice(6).map((group) => Number.parseInt(group, 16));
  return low.flatMap((group) => [group >> 8, group & 255]).join('.');
}

const EMBEDDING_PREFIXES = ['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0'];
