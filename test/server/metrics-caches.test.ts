import { expect, it } from 'vitest';
import { startGateway } from '../support/gateway.js';
import { sampleValue, scrape } from '../support/prometheus.js';
import { caller } from '../support/rest.js';

it('the size of each cache is shown by its name, beside what it may grow to', async () => {
  const gateway = await startGateway();
  await caller(gateway, gateway.apiKey)('GET', '/key');
  const families = await scrape(gateway);
  const value = (metric: string, cache: string) => sampleValue(families, metric, { cache }) ?? Number.NaN;
  for (const cache of ['credentials', 'found_credentials', 'policies', 'provider_keys']) {
    expect(value('byway_cache_bytes', cache)).toBeGreaterThanOrEqual(0);
    expect(value('byway_cache_max_bytes', cache)).toBeGreaterThan(value('byway_cache_bytes', cache));
  }
  expect(value('byway_cache_bytes', 'credentials')).toBeGreaterThan(0);
});
