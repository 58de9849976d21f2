/**
 * Connections to hosts that a caller's credential names. The URL was checked when it was stored; the addresses that the
 * name resolves to are checked here, right before connecting: `docs/credentials.md#addresses-in-credentials`.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { once } from '../../base/once.js';
import { isPrivateAddress } from '../../byok/private-address.js';
import { undici } from './undici.js';

/** A pending connection belongs to the pool, not to one attempt: a slow one would hold up others. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** Refuses addresses that are not public: literal ones, and those that names resolve to. */
export function guardedConnector(lookup: LookupFunction = systemLookup): buildConnector.connector {
  const connector = once(() =>
    undici().buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(lookup) }),
  );
  return (options, callback) => {
    const address = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(address) !== 0 && isPrivateAddress(address)) callback(new PrivateAddressError(), null);
    else connector()(options, callback);
  };
}

/** Resolves as `lookup` does, and fails when any of the addresses is private. */
export function guardedLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      // Node's own `lookup` passes no addresses with an error.
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

/** Has the shape of a network error. */
class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
  readonly code = 'EPRIVATE';

  constructor() {
    super('the host leads to a private address');
  }
}
