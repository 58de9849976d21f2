/**
 * Connections to hosts that a caller's credential names. Its URL was checked when it was stored, but what its name
 * resolves to is only known now, so every address is judged right before it is connected to (interface section 4).
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPrivateAddress } from '../../byok/private-address.js';

/** A connection is the pool's, not one attempt's: one that has not come about by then would hold up others. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** A connector that refuses addresses that are not public: literal ones, and those that names resolve to. */
export function guardedConnector(lookup: LookupFunction = systemLookup): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(lookup) });
  return (options, callback) => {
    const address = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(address) !== 0 && isPrivateAddress(address)) callback(new PrivateAddressError(), null);
    else connect(options, callback);
  };
}

/** Resolves as `lookup` does, and fails when any of the addresses is private. */
export function guardedLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      // Node's own `lookup` calls back with the error alone: there is no second argument to look at.
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

/** The refusal, in the shape of an error of the network. */
class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
  readonly code = 'EPRIVATE';

  constructor() {
    super('the host leads to a private address');
  }
}
