import type { CacheReport } from '../../base/memory/bounded-cache.js';
import type { Family } from './families.js';

/** The size of caches and its bound, read when they are asked for. */
export function cacheFamilies(reports: () => readonly CacheReport[]): readonly Family[] {
  const family = (name: string, help: string, read: (report: CacheReport) => number): Family => ({
    name,
    help,
    type: 'gauge',
    samples: () => reports().map((report) => ({ labels: [['cache', report.name]], value: read(report) })),
  });
  return [
    family('byway_cache_bytes', 'Estimated size of a cache.', ({ bytes }) => bytes),
    family('byway_cache_max_bytes', 'What a cache may grow to.', ({ maxBytes }) => maxBytes),
  ];
}
