import { readFile } from 'node:fs/promises';
import { describeFileError } from '../../base/file-error.js';

/** The text of a file that the operator named. Throws an Error with the reason in one line. */
export async function readNamedFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`cannot read ${describeFileError(path, cause)}`, { cause });
  }
}
