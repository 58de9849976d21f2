import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Less may not be enough for the next writes; whether it is, only a write can tell. */
const LITTLE_BYTES = 1024 * 1024;

/** Whether the file system of the file has little room left; true when that can't be told. */
export async function hasLittleRoom(file: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(dirname(file));
    return bavail * bsize < LITTLE_BYTES;
  } catch {
    return true;
  }
}
