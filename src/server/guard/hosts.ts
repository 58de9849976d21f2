/** The host that a request is made to: whether it is one of the server's, what region it stands for, links to it. */
import type { FastifyRequest } from 'fastify';
import { LruMap } from '../../base/memory/lru-map.js';
import { invalid, Problem } from '../../base/problem.js';
import { hostName, pathOfUrl } from '../../base/url.js';
import type { Config } from '../../config/config.js';
import { type Caller, NOBODY } from '../../rpc/caller.js';
import { isAuthority } from '../port/authority.js';

export type HostOptions = Pick<Config, 'hosts' | 'publicUrl' | 'regionHosts' | 'trustedProxies'>;

/** What a request says of its host. */
type HostRequest = Pick<FastifyRequest, 'headers' | 'host' | 'protocol'>;

export interface Hosts {
  /**
   * Throws a 421 Problem for a host that is not among the given ones. Throws a 400 Problem where `X-Forwarded-Host` of
   * a trusted proxy names no such host, or its `X-Forwarded-Proto` no scheme.
   */
  check(request: HostRequest): void;
  /** The region of the host, and the root of links. For what `check` refuses, as if there were no region hosts. */
  hostOf(request: HostRequest): Pick<Caller, 'baseUrl' | 'region'>;
}

/** Where a request was sent, as the client has it. */
interface Target {
  /** With its port, as it was sent. */
  readonly host: string;
  readonly name: string;
  readonly protocol: string;
}

/** Names that are cached: a server has few, but clients may make up any. */
const MAX_CACHED_NAMES = 64;

/** The host is `X-Forwarded-Host` where a trusted proxy sends it and the hosts are given, else that of the request. */
export function createHosts({ hosts, publicUrl, regionHosts, trustedProxies }: HostOptions): Hosts {
  const names = new LruMap<string, string>(MAX_CACHED_NAMES);
  const nameOf = (host: string) => names.getOrMake(host, () => hostName(host) ?? '');
  const publicScheme = publicUrl === null ? '' : new URL(publicUrl).protocol;
  const publicPath = pathOfUrl(publicUrl);
  const isTrusted = trustedProxies > 0;

  const targetOf = ({ headers, host: sentTo, protocol: own }: HostRequest): Target | Problem => {
    const forwarded = isTrusted && hosts !== null ? headers['x-forwarded-host'] : undefined;
    const protocol = (isTrusted ? headers['x-forwarded-proto'] : undefined) ?? own;
    const host = String(forwarded ?? sentTo);
    const name = nameOf(host);
    if (forwarded !== undefined && !(isAuthority(host) && hosts?.has(name))) return UNKNOWN_FORWARDED_HOST;
    if (!isScheme(protocol)) return UNKNOWN_FORWARDED_PROTO;
    if (hosts !== null && !hosts.has(name)) return unknownHost(host);
    return { host, name, protocol: protocol.toLowerCase() };
  };

  const linksOf = (protocol: string, host: string, isOfRegion: boolean): string => {
    if (publicUrl === null) return `${protocol}://${host}`;
    return isOfRegion ? `${publicScheme}//${host}${publicPath}` : publicUrl;
  };

  return {
    check(request) {
      const target = targetOf(request);
      if (target instanceof Problem) throw target;
    },
    hostOf(request) {
      const target = targetOf(request);
      if (target instanceof Problem) {
        return { region: NOBODY.region, baseUrl: linksOf(request.protocol, request.host, false) };
      }
      const region = regionHosts.get(target.name);
      return {
        region: region ?? NOBODY.region,
        baseUrl: linksOf(target.protocol, target.host, region !== undefined),
      };
    },
  };
}

function isScheme(text: string | string[]): text is string {
  return typeof text === 'string' && /^https?$/i.test(text);
}

function unknownHost(host: string): Problem {
  return new Problem(
    'unknown_host',
    `${host} is no host of this gateway. A proxy in front of it must pass on the Host of the request`,
  );
}

const UNKNOWN_FORWARDED_HOST = invalid([
  { field: 'X-Forwarded-Host', rule: 'known', message: 'must be one host of this gateway' },
]);

const UNKNOWN_FORWARDED_PROTO = invalid([
  { field: 'X-Forwarded-Proto', rule: 'known', message: 'must be http or https' },
]);
