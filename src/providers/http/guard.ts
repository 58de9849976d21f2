/**
 * Connections to hosts that a caller's credential names. The URL was checked when it was stored. The addresses that its
 * name resolves to are checked here, right before connecting: `docs/credentials.md#addresses-in-credentials`.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { NO_PROXIES, type Proxies, proxyTo } from '../../base/proxies.js';
import { isAzureHost } from '../../byok/kinds/azure.js';
import { isPrivateAddress } from '../../byok/kinds/private-address.js';
import { directConnector } from './connect.js';
import { authorityOf, openTunnel, ProxyError } from './proxy.js';

/** Maximum of a name's addresses that a proxy is asked for, one after the other. */
const MAX_ADDRESSES = 3;

/**
 * Refuses addresses that are not public, whether literal or resolved from a name. The same goes for connections through
 * a proxy: the name is resolved here, and the tunnel goes to an address that was checked, never to the name.
 */
export function guardedConnector(
  lookup: LookupFunction = systemLookup,
  proxies: Proxies = NO_PROXIES,
): buildConnector.connector {
  const direct = directConnector(guardedLookup(lookup));
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && isPrivateAddress(host)) {
      callback(new PrivateAddressError(), null);
      return;
    }
    const proxy = proxyTo(proxies, options);
    if (proxy === null) {
      direct(options, callback);
      return;
    }
    judgedHosts(host, lookup)
      .then((hosts) => firstTunnel(proxy, hosts, options))
      .then(
        (httpSocket) => {
          if (options.protocol === 'https:') direct({ ...options, httpSocket }, callback);
          else callback(null, httpSocket);
        },
        (error) => callback(error, null),
      );
  };
}

/**
 * Where a tunnel may lead: to public addresses, or to one of an adapter's own hosts by a name that only the proxy
 * resolves.
 */
async function judgedHosts(host: string, lookup: LookupFunction): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  const addresses = await new Promise<readonly LookupAddress[] | null>((resolve, reject) => {
    guardedLookup(lookup)(host, { all: true }, (error, found) => {
      if (error === null) resolve(Array.isArray(found) ? found : []);
      else if (isUnresolved(error) && isAdaptersOwn(host)) resolve(null);
      else reject(error);
    });
  });
  return addresses === null ? [host] : addresses.slice(0, MAX_ADDRESSES).map(({ address }) => address);
}

async function firstTunnel(
  proxy: URL,
  hosts: readonly string[],
  options: buildConnector.Options,
): Promise<Socket> {
  let refusal: unknown = new ProxyError(null);
  for (const host of hosts) {
    try {
      return await openTunnel(proxy, authorityOf(host, options));
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}

function isUnresolved(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN';
}

function isAdaptersOwn(host: string): boolean {
  const name = host.toLowerCase();
  return isAzureHost(name) || name.endsWith('.googleapis.com');
}

/** Resolves as `lookup` does, and fails if any of the addresses is private. */
export function guardedLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      // Node's own `lookup` passes no addresses if there is an error.
      if (error !== null) {
        callback(error, '');
        return;
      }
      const addresses = typeof found === 'string' ? [] : found;
      const [first] = addresses;
      if (first === undefined || hasPrivate(addresses)) callback(new PrivateAddressError(), '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function hasPrivate(addresses: readonly LookupAddress[]): boolean {
  return addresses.some(({ address }) => isPrivateAddress(address));
}

/** The error code of an address that may not be called. */
export const PRIVATE_ADDRESS = 'EPRIVATE';

/** An error in the shape of a network error. */
class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
  readonly code = PRIVATE_ADDRESS;

  constructor() {
    super('the host leads to a private address');
  }
}
