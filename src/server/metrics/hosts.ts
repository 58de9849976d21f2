import { type Config, isOpenToAnyHost } from '../../config/config.js';
import { type Family, gauge } from './families.js';

/** Whether region hosts are given, but not the hosts that requests may be made to. */
export function unboundHosts(config: Pick<Config, 'hosts' | 'regionHosts'>): Family {
  return gauge(
    'byway_region_hosts_unbound',
    '1 where a request to any other host than the region hosts is served without a region rule.',
    () => (isOpenToAnyHost(config) ? 1 : 0),
  );
}
