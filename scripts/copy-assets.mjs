// The last step of a build: copies the files that are read at run time beside the compiled code, then marks the
// build as finished (scripts/prepare.mjs compares the mark's time with the sources').
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDERS = ['catalog/data', 'store/engine'];

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
for (const folder of FOLDERS) {
  const from = join('src', folder);
  if (existsSync(from)) cpSync(from, join('dist/src', folder), { recursive: true, filter: isAsset });
}
mkdirSync('dist', { recursive: true });
writeFileSync('dist/.built', '');

function isAsset(path) {
  return !path.endsWith('.ts');
}
