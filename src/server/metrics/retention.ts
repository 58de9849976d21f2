import { counter } from './families.js';

/** Counts the rows that retention drops, by table. */
export function createRetentionMeter() {
  const dropped = counter('byway_retention_dropped_total', 'Rows dropped since they are too old.', 'table');
  return {
    families: [dropped],
    dropped(table: string, rows: number): void {
      dropped.at(table).value += rows;
    },
  };
}
