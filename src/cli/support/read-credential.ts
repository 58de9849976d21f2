import { invalid } from '../../base/problem.js';
import { trimEnd } from '../../base/text.js';
import type { Terminal } from '../output/command-line.js';

/** More than any credential; longer input is refused. */
const MAX_BYTES = 1024 * 1024;

/** Standard input without trailing line breaks. Throws a 400 Problem when it is empty or too long. */
export async function readCredential({ stdin, stderr }: Terminal): Promise<string> {
  if (stdin.isTTY) stderr.write('Type or paste the credential, then press Enter and Ctrl-D.\n');
  const chunks: Buffer[] = [];
  let count = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk);
    count += chunk.length;
    if (count > MAX_BYTES) throw violation('too_long', 'is longer than any credential');
  }
  const text = trimEnd(Buffer.concat(chunks).toString('utf8'), '\r\n');
  if (text === '') {
    throw violation(
      'required',
      'is empty; send the credential there, as in: byway provider set-key NAME < FILE',
    );
  }
  return text;
}

function violation(rule: string, message: string) {
  return invalid([{ field: 'standard input', rule, message }]);
}
