import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SqliteWriteDriver } from './driver.js';

/** Less may not be enough for the next writes; whether it is, only a write can tell. */
const LITTLE_BYTES = 1024 * 1024;

/** Whether writes would be taken now; writes nothing unless the last write was refused, or the disk is all but full. */
export class WriteCheck {
  readonly #file: string;
  /** Whether the last write was refused. */
  #isDoubted = false;

  constructor(file: string) {
    this.#file = file;
  }

  wrote(): void {
    this.#isDoubted = false;
  }

  failed(): void {
    this.#isDoubted = true;
  }

  /** Throws as a write does. */
  async check(driver: SqliteWriteDriver): Promise<void> {
    const mayLackRoom = this.#isDoubted || (await hasLittleRoom(this.#file));
    await (mayLackRoom ? driver.tryCommit() : driver.tryBegin());
  }
}

/** Whether the file system of the file has little room left; true when that can't be told. */
async function hasLittleRoom(file: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(dirname(file));
    return bavail * bsize < LITTLE_BYTES;
  } catch {
    return true;
  }
}
