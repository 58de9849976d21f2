import { posix } from 'node:path';
import { importsOf } from './arrows.js';
import { fault, type SourceFile } from './sources.js';

/** The files of a unit that are in none of its folders. */
export const OWN = '.';

/** The folders of large units, the lowest first: each may import those before it. A folder that is not listed may not exist. */
export const FLOORS: Readonly<Record<string, readonly string[]>> = {
  'src/store': [
    'schema',
    'query',
    'engine',
    'database',
    'ledger',
    'usage',
    'tables',
    'records',
    'byok',
    'cache',
    'batch',
    'retention',
    'migrations',
    'maintenance',
    OWN,
  ],
  'src/inference': [
    'reasoning',
    'ports',
    'facts',
    'leaving',
    'attempts',
    'cache',
    'settlement',
    'run',
    'counting',
    'stream',
    'chat',
    'messages',
    'responses',
    'completions',
    'embeddings',
    'rerank',
    'probe',
    OWN,
  ],
};

/** Every import of the file from a floor above its own. */
export function brokenFloors(file: SourceFile): string[] {
  const unit = Object.keys(FLOORS).find((one) => file.path.startsWith(`${one}/`));
  if (unit === undefined) return [];
  const floors = FLOORS[unit] ?? [];
  const own = folderIn(unit, file.path);
  if (!floors.includes(own)) return [fault(file, 1, `"${own}" has no place in the table of floors`)];
  return importsOf(file)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier, line }) => ({ target: posix.join(posix.dirname(file.path), specifier), line }))
    .filter(({ target }) => target.startsWith(`${unit}/`))
    .map(({ target, line }) => ({ above: folderIn(unit, target), line }))
    .filter(({ above }) => floors.indexOf(above) > floors.indexOf(own))
    .map(({ above, line }) => fault(file, line, upward(unit, own, above)));
}

function upward(unit: string, own: string, above: string): string {
  const name = (folder: string) => (folder === OWN ? unit : `${unit}/${folder}`);
  return `${name(own)} is below ${name(above)}: move what it needs down, or this file up (test/architecture/floors.ts)`;
}

/** The first folder of the path within the unit. */
function folderIn(unit: string, path: string): string {
  const [first = '', ...rest] = path.slice(unit.length + 1).split('/');
  return rest.length === 0 ? OWN : first;
}
