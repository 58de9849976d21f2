import { readFile } from 'node:fs/promises';
import { fileFault } from '../base/file-fault.js';

/** The text of a file that the operator named. Throws an Error whose message says in one line what is wrong with it. */
export async function readNamedFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`cannot read ${fileFault(path, cause)}`, { cause });
  }
}
