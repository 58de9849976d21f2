/** Reads variables that name hosts. Each reader throws ConfigError for a value that can't be used. */

import { trimEnd } from '../base/text.js';
import { hostName } from '../base/url.js';
import { ConfigError } from './error.js';

/** `BYWAY_REGION_HOSTS`: the region of each host. */
export function readRegionHosts(entries: readonly string[]): Map<string, string> {
  const hosts = new Map<string, string>();
  for (const entry of entries) {
    const [, host, region] = /^(.+)=([a-z0-9-]+)$/.exec(entry) ?? [];
    const name = host === undefined ? undefined : readHost(host);
    if (name === undefined || region === undefined) {
      throw new ConfigError('BYWAY_REGION_HOSTS must be a list of HOST=REGION, separated by commas');
    }
    if ((hosts.get(name) ?? region) !== region) {
      throw new ConfigError(`BYWAY_REGION_HOSTS has two regions for ${name}`);
    }
    hosts.set(name, region);
  }
  return hosts;
}

/** `BYWAY_HOSTS`, with the hosts that other variables name; null where it is not set. */
export function readHosts(
  entries: readonly string[],
  regionHosts: ReadonlyMap<string, string>,
  publicUrl: string | null,
): ReadonlySet<string> | null {
  if (entries.length === 0) return null;
  const hosts = new Set(regionHosts.keys());
  for (const entry of entries) {
    const name = readHost(entry);
    if (name === undefined) {
      throw new ConfigError('BYWAY_HOSTS must be a list of host names without ports, separated by commas');
    }
    hosts.add(name);
  }
  const ofPublicUrl = publicUrl === null ? undefined : hostName(new URL(publicUrl).host);
  return ofPublicUrl === undefined ? hosts : hosts.add(ofPublicUrl);
}

/** A name, an IPv4 address, or an IPv6 address in brackets; no port. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[^\s:/?#@[\]\\%*,=]+)$/;

function readHost(entry: string): string | undefined {
  return HOST.test(entry) ? hostName(entry) : undefined;
}

/** `BYWAY_PUBLIC_URL`, without a slash at its end. */
export function readPublicUrl(value: string | undefined): string | null {
  if (value === undefined) return null;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    /[?#]/.test(value) ||
    url.username + url.password
  ) {
    throw new ConfigError('BYWAY_PUBLIC_URL must be an http or https URL without user, query and fragment');
  }
  return trimEnd(value, '/');
}
