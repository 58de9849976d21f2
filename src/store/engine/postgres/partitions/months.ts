/** Months of UTC, and the partitions of records that are named after them. */

/** The start of the month that contains the instant, or of one so many later. */
export function monthStart(ms: number, later = 0): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
}

/** The partition of the month that begins then. */
export function monthTable(start: number): string {
  return `generation_${new Date(start).toISOString().slice(0, 7).replace('-', '_')}`;
}

/** The least id of a generation that was made then or later: they are UUIDs of version 7, which begin with their time. */
export function firstIdAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `gen-${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** A partition, with the part of the ids that it has. */
export interface Partition {
  readonly name: string;
  /** Null = from the least on. */
  readonly from: number | null;
  /** Null = it has what no other partition has. */
  readonly before: number | null;
}

/** Reads a partition bound as PostgreSQL shows it. */
export function partitionOf(name: string, bound: string): Partition {
  const [, from, to] = /^FOR VALUES FROM \(([^()]*)\) TO \(([^()]*)\)$/.exec(bound) ?? [];
  return { name, from: instantOf(from), before: instantOf(to) };
}

function instantOf(bound: string | undefined): number | null {
  const [, high, low] = /^'gen-([0-9a-f]{8})-([0-9a-f]{4})-/.exec(bound ?? '') ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(`${high}${low}`, 16);
}
