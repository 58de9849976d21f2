import type { LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { once } from '../../base/memory/once.js';
import { undici } from './undici.js';

/** A pending connection belongs to the pool, not to one attempt, so a slow one would delay others. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** Connects to the host directly. Loads the client when it is first used. */
export function directConnector(lookup?: LookupFunction): buildConnector.connector {
  const options = { timeout: CONNECT_TIMEOUT_MS, ...(lookup !== undefined && { lookup }) };
  const connector = once(() => undici().buildConnector(options));
  return (given, callback) => connector()(given, callback);
}
