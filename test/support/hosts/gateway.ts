/** A gateway in the test's process in front of every host. */
import { launchGateway, type TestGateway } from '../gateway.js';
import { share } from '../providers.js';
import { type Call, caller, recordOf } from '../rest.js';
import { type RunningHosts, startHosts } from './fakes.js';
import { HOSTS } from './table.js';

export interface HostsGateway extends TestGateway, RunningHosts {
  readonly manage: Call;
  readonly use: Call;
  stop(): Promise<void>;
}

/** Enough for days of all hosts. */
const CREDITS = 10_000n * 10n ** 9n;

/** Whoever starts it stops it; `overrides` are members of all models in the catalogue. */
export async function launchHosts(
  overrides: object,
  capacity: 'byok' | 'shared',
  env: Readonly<Record<string, string>> = {},
): Promise<HostsGateway> {
  const ends: (() => Promise<void>)[] = [];
  const running = await startHosts(HOSTS, (end) => void ends.push(end));
  const gateway = await launchGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', BYWAY_ADMIN_RATE_PER_MINUTE: '0', ...env },
    catalog: running.catalog(overrides),
    credits: CREDITS,
  });
  const manage = caller(gateway, gateway.managementKey);
  for (const { provider, adapter, key } of running.credentials) {
    const text = typeof key === 'string' ? key : JSON.stringify(key);
    if (capacity === 'shared') await share(gateway, provider, text, adapter);
    else recordOf(await manage('POST', '/byok', { provider, key }));
  }
  return {
    ...gateway,
    ...running,
    manage,
    use: caller(gateway, gateway.apiKey),
    async stop() {
      await gateway.stop();
      await Promise.all(ends.map((end) => end()));
    },
  };
}
