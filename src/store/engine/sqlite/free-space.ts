import type { Connection } from './connection/connection.js';
import { isBusy } from './connection/errors.js';
import type { SqliteWriteDriver } from './driver.js';

/** Of a piece; each is moved within the file, which takes some 20 us. */
const PIECE_PAGES = 200;

/** Of the file: what new rows will soon take again. */
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
