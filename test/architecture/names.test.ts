import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSources, type SourceFile } from './sources.js';

/** Folders whose subfolders have the same jobs: there the same names mean the same. */
const SIBLINGS = ['src/providers', 'src/store/engine'];

/** Folders with one for each API, in which files of one name have the same job. */
const APIS = ['src/formats', 'src/inference'];

const EXPORTED = /^export (?:abstract |async )*(?:function\*?|class|interface|type|const|enum) (\w+)/gm;

describe('an exported name', () => {
  it('stands once, but for what the adapters, the engines, and the APIs, have for the same job', () => {
    expect(repeated(readSources('src'))).toEqual([]);
  });

  it('is noticed where two parts have it, or one part and an adapter', () => {
    const file = (path: string) => ({ path, text: 'export function planOf(): void {}\n' });
    expect(repeated([file('src/a.ts'), file('src/b.ts')])).toEqual(['planOf: src/a.ts, src/b.ts']);
    expect(repeated([file('src/a.ts'), file('src/providers/x/b.ts')])).toHaveLength(1);
    expect(repeated([file('src/providers/x/b.ts'), file('src/providers/x/c.ts')])).toHaveLength(1);
    expect(repeated([file('src/providers/x/b.ts'), file('src/providers/y/b.ts')])).toEqual([]);
    expect(repeated([file('src/formats/x/b.ts'), file('src/formats/y/b.ts')])).toEqual([]);
    expect(repeated([file('src/formats/x/b.ts'), file('src/formats/y/c.ts')])).toHaveLength(1);
    expect(repeated([file('src/formats/x/b.ts'), file('src/inference/y/b.ts')])).toHaveLength(1);
  });
});

/** Each name with the files that export it, where these are more than one and not siblings of each other. */
function repeated(files: readonly SourceFile[]): string[] {
  const places = new Map<string, string[]>();
  for (const { path, text } of files) {
    for (const [, name = ''] of text.matchAll(EXPORTED))
      places.set(name, [...(places.get(name) ?? []), path]);
  }
  return [...places]
    .filter(([, paths]) => paths.length > 1 && !areSiblings(paths) && !areOfApis(paths))
    .map(([name, paths]) => `${name}: ${paths.join(', ')}`);
}

/** Whether all are in different subfolders of one of the folders. */
function areSiblings(paths: readonly string[]): boolean {
  return SIBLINGS.some((folder) => {
    const within = paths.map((path) => posix.relative(folder, path).split('/')[0] ?? '');
    return !within.includes('..') && new Set(within).size === paths.length;
  });
}

/** Whether all are one file, each in the folder of another API. */
function areOfApis(paths: readonly string[]): boolean {
  return APIS.some((folder) => {
    const within = paths.map((path) => posix.relative(folder, path).split('/').slice(1).join('/'));
    return paths.every((path) => path.startsWith(`${folder}/`)) && new Set(within).size === 1;
  });
}
