import { readFile } from 'node:fs/promises';
import { describeFileError } from '../../base/file-error.js';

/** The mark that some editors begin a text with. */
const BYTE_ORDER_MARK = '\uFEFF';

/** The text of a file that the operator named, without a byte order mark. Throws an Error with the reason in one line. */
export async function readNamedFile(path: string): Promise<string> {
  try {
    const text = await readFile(path, 'utf8');
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  } catch (cause) {
    throw new Error(`cannot read ${describeFileError(path, cause)}`, { cause });
  }
}
