import type { Connection } from './connection/connection.js';
import { isBusy } from './connection/errors.js';
import type { SqliteWriteDriver } from './driver.js';

/** How many pages are moved within the file at a time; each takes some 20 us. */
const PIECE_PAGES = 200;

/** The share of the file that stays free, since new rows will soon take it again. */
const KEPT_FREE = 0.1;

/** As `PRAGMA auto_vacuum` answers; files from before have none. */
const INCREMENTAL = 2;

/** As `Engine.releaseFreeSpace`. */
export async function releaseFreeSpace(connection: Connection, driver: SqliteWriteDriver): Promise<boolean> {
  const read = (pragma: string) => {
    const [row = {}] = connection.statement(`PRAGMA ${pragma}`).all([]);
    return Number(row[pragma]);
  };
  if (read('auto_vacuum') !== INCREMENTAL) return false;
  if (read('freelist_count') <= read('page_count') * KEPT_FREE) return false;
  await driver.whileNobodyWrites(async () => {
    try {
      connection.exec(`PRAGMA incremental_vacuum(${PIECE_PAGES})`);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  });
  return true;
}
