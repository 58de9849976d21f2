import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One file of the project; `path` is relative to its root, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Every TypeScript file below the folders, in the order of their paths. */
export function readSources(...folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => /\.tsx?$/.test(path))
    .sort()
    .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(path, 'utf8') }));
}

/** A broken rule in the words of a compiler: file, line (from 1), what is wrong. */
export function fault(file: SourceFile, line: number, rule: string): string {
  return `${file.path}:${line} ${rule}`;
}

/** The lines of the file without comments and without the contents of one-line strings; numbering is kept. */
export function codeLines(file: SourceFile): string[] {
  const withoutBlocks = file.text.replace(/^\s*\/\*[\s\S]*?\*\//gm, (comment) =>
    comment.replace(/[^\n]/g, ''),
  );
  return withoutBlocks
    .split('\n')
    .map((line) => line.replace(/'(?:\\.|[^'\\])*'/g, "''").replace(/(^|\s)\/\/.*$/, ''));
}
