import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take many seconds, mostly with processes that start, stop and wait; of each project the slowest first. */
const SLOWEST = [
  'transports/matrix',
  'endpoint/money/overspend.load',
  'faults/leaving.load',
  'endpoint/tenants/in-flight.load',
  'faults/shutting-down.load',
  'batch/states',
  'endpoint/chat/export-streams.load',
  'endpoint/byok/repeated-words',
  'cli/provider-add',
  'faults/hostile-answers.load',
  'endpoint/platforms/provider-failures',
  'batch/recovery.system',
  'endpoint/small-memory.system',
  'cli/wrong-master-key.system',
  'faults/small-memory-answers.system',
  'cli/signals.system',
  'faults/unreachable-providers.system',
  'faults/small-pieces.system',
  'batch/memory.system',
  'endpoint/fleet/failover.peers',
  'faults/early-answers.peers',
  'dashboard/limits.peers',
  'dashboard/browser.peers',
  'endpoint/fleet/fleet-upgrade.peers',
  'faults/leaving-clients.peers',
  'dashboard/tour.peers',
];

/**
 * Starts the slowest files first, even in a first run without measurements, so that none is left at the end. Of several
 * projects one after the other: a worker serves one of them.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(files.map(({ project }) => project.name))].sort();
    const orderOf = (file: TestSpecification) =>
      projects.indexOf(file.project.name) * (SLOWEST.length + 1) + rank(file);
    return sorted.toSorted((a, b) => orderOf(a) - orderOf(b));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const at = SLOWEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at === -1 ? SLOWEST.length : at;
}
