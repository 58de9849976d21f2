import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take many seconds, mostly with processes that start, stop and wait; the slowest first. */
const SLOWEST = [
  'batch/recovery',
  'endpoint/fleet',
  'faults/memory',
  'cli/workers',
  'faults/huge-requests',
  'endpoint/fleet/crash',
  'dashboard/browser',
  'dashboard/tour',
  'batch/states',
  'endpoint/fleet/outage',
  'batch/memory',
  'fuzz/operations',
  'fuzz/process',
  'cli/db-copy',
  'endpoint/agent-day/agent-day',
  'endpoint/platforms/provider-failures',
  'cli/running-server',
  'store/postgres',
  'faults/recovery',
  'faults/silence',
];

/** Starts the slowest files first, even in a first run without measurements, so that none is left at the end. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const at = SLOWEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at === -1 ? SLOWEST.length : at;
}
