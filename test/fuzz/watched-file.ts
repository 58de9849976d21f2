import { createHash } from 'node:crypto';
import { Connection } from '../../src/store/engine/sqlite/connection/connection.js';

/** Counters of cached state and of calls, and records of chats that failed: a refusal may write them. */
const NOT_DATA = new Set(['revision', 'rate_bucket', 'generation']);

/** The SQLite file of a running server, as another process sees it. */
export interface WatchedFile {
  /** Changes with every commit of the server. */
  version(): number;
  /** Of everything that no refusal may write. */
  digest(): string;
  close(): void;
}

export function watchFile(file: string): WatchedFile {
  const connection = new Connection(file, 5_000);
  const rows = (text: string) => connection.statement(text).all([]);
  const tables = rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .map(({ name }) => String(name))
    .filter((name) => !NOT_DATA.has(name))
    .toSorted();
  return {
    version: () => Number(rows('PRAGMA data_version')[0]?.data_version),
    digest() {
      const hash = createHash('sha256');
      for (const table of tables) {
        hash.update(table);
        for (const row of rows(`SELECT * FROM "${table}"`)) hash.update(JSON.stringify(row, spelled));
      }
      return hash.digest('hex');
    },
    close: () => connection.close(),
  };
}

function spelled(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
