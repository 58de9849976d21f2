import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { brokenArrows, importsOf } from './arrows.js';
import { circles, folderCircles, mixedFolders } from './circles.js';
import { brokenFloors, FLOORS, OWN } from './floors.js';
import { codeLines, fault, readSources, type SourceFile } from './sources.js';

describe('imports run one way', () => {
  it('no file of src imports what its place forbids', () => {
    expect(readSources('src').flatMap(brokenArrows)).toEqual([]);
  });

  it('no files import each other, not even types', () => {
    expect(circles(readSources('src'))).toEqual([]);
  });

  it('no folders import each other, not even types', () => {
    const sources = readSources('src');
    expect(folderCircles(sources)).toEqual([]);
    expect(mixedFolders(sources)).toEqual([]);
  });

  it('no folder of the store or of inference imports a floor above its own', () => {
    expect(readSources('src').flatMap(brokenFloors)).toEqual([]);
  });

  it('docs/architecture.md has the floors of the store and of inference in the same order', () => {
    const page = readFileSync('docs/architecture.md', 'utf8');
    for (const [unit, floors] of Object.entries(FLOORS)) {
      const [, table = ''] = page.split(`\n| \`${unit.slice('src/'.length)}\` | What it has |\n|---|---|\n`);
      const named = table.slice(0, table.indexOf('\n\n')).split('\n');
      expect(named.map((row) => row.split(' | ')[0])).toEqual(
        floors.map((floor) => (floor === OWN ? '| its own files' : `| \`${floor}\``)),
      );
    }
  });

  it('only src/config/config.ts reads the environment', () => {
    expect(readSources('src').flatMap(environmentReads)).toEqual([]);
  });

  it('only src/store/engine/sqlite/connection/connection.ts imports better-sqlite3', () => {
    expect(readSources('src').flatMap(sqliteImports)).toEqual([]);
  });
});

describe('the guard notices', () => {
  it.each([
    [
      'src/base/money.ts',
      "import { x } from '../catalog/types.js';",
      'base may not import ../catalog/types.js',
    ],
    ['src/catalog/a.ts', "import type { X } from '../ledger/x.js';", 'catalog may not import ../ledger/x.js'],
    [
      'src/identity/a.ts',
      "import {\n  a,\n  b,\n} from '../byok/x.js';",
      'identity may not import ../byok/x.js',
    ],
    ['src/identity/a.ts', "export * from '../accounts/x.js';", 'identity may not import ../accounts/x.js'],
    ['src/batch/a.ts', "import x from '../inference/x.js';", 'batch may not import ../inference/x.js'],
    [
      'src/inference/a.ts',
      "await import('../providers/x.js');",
      'inference may not import ../providers/x.js',
    ],
    ['src/byok/a.ts', "import { X } from '../../gen/byway/v1/byok_pb.js';", 'may not import ../../gen/byway'],
    ['src/ledger/a.ts', "import 'kysely';", 'ledger may not import kysely'],
    [
      'src/routing/a.ts',
      "import { x } from '@bufbuild/protobuf/wkt';",
      'may not import @bufbuild/protobuf/wkt',
    ],
    ['src/rest/a.ts', "import { x } from '../identity/x.js';", 'rest may not import ../identity/x.js'],
    [
      'src/protobuf/deep/a.ts',
      "import { x } from '../../rpc/x.js';",
      'protobuf may not import ../../rpc/x.js',
    ],
    ['src/server/a.ts', "import { x } from '../routing/x.js';", 'server may not import ../routing/x.js'],
    ['src/server/a.ts', "import { x } from '../compose.js';", 'server may not import ../compose.js'],
    ['src/store/a.ts', "import { x } from 'fastify';", 'store may not import fastify'],
    ['src/misc/a.ts', '', '"misc" has no place'],
  ])('a wrong arrow: %s with %j', (path, text, expected) => {
    expect(brokenArrows({ path, text })).toEqual([expect.stringContaining(expected)]);
  });

  it.each([
    ['src/inference/a.ts', "import { x } from '../routing/x.js';"],
    ['src/inference/deep/a.ts', "import { x } from '../types.js';\nimport { y } from '../../base/y.js';"],
    ['src/store/a.ts', "import { Kysely } from 'kysely';\nimport type { X } from '../byok/types.js';"],
    ['src/main.ts', "import { x } from './compose.js';\nimport { Command } from 'commander';"],
    ['src/byok/a.ts', "import { createCipheriv } from 'node:crypto';"],
    ['src/base/a.ts', "/**\n * import { x } from '../inference/x.js';\n */"],
  ])('and lets a right one pass: %s with %j', (path, text) => {
    expect(brokenArrows({ path, text })).toEqual([]);
  });

  it('names file and line of the fault', () => {
    const text = "import { a } from './a.js';\n\nimport { b } from '../inference/b.js';\n";
    expect(brokenArrows({ path: 'src/base/x.ts', text })).toEqual([
      'src/base/x.ts:3 base may not import ../inference/b.js',
    ]);
  });

  it('a circle over several files, of types too', () => {
    const files = [
      { path: 'src/a.ts', text: "import { b } from './b/b.js';" },
      { path: 'src/b/b.ts', text: "import type { C } from './c.js';" },
      { path: 'src/b/c.ts', text: "import type { A } from '../a.js';\nimport { d } from '../d.js';" },
      { path: 'src/d.ts', text: '' },
    ];
    expect(circles(files)).toEqual([['src/a.ts', 'src/b/b.ts', 'src/b/c.ts']]);
  });

  it('folders that import each other though no files do', () => {
    const files = [
      { path: 'src/a/low.ts', text: '' },
      { path: 'src/a/high.ts', text: "import { b } from '../b/b.js';" },
      { path: 'src/b/b.ts', text: "\nimport type { Low } from '../a/low.js';\nimport { c } from './c.js';" },
      { path: 'src/b/c.ts', text: "import { a } from '../a/low.js';" },
      { path: 'src/c/c.ts', text: "import { high } from '../a/high.js';" },
    ];
    expect(circles(files)).toEqual([]);
    expect(folderCircles(files)).toEqual([
      'src/a, src/b import each other; move files, or what one needs of the other, until it is one way:\n' +
        'src/a/high.ts:1 imports src/b/b.ts\nsrc/b/c.ts:1 imports src/a/low.ts',
    ]);
  });

  it('a folder whose own files stand between its folders', () => {
    const files = [
      { path: 'src/a/a.ts', text: "\nimport { low } from './low/low.js';" },
      { path: 'src/a/low/low.ts', text: '' },
      { path: 'src/a/high/high.ts', text: "import { a } from '../a.js';" },
      { path: 'src/b/b.ts', text: "import { a } from '../a/a.js';" },
    ];
    expect(folderCircles(files)).toEqual([]);
    expect(mixedFolders(files)).toEqual([
      'src/a/a.ts:2 imports src/a/low/low.ts, but src/a/high/high.ts imports src/a/a.ts: ' +
        'the files of a folder itself are its top or its bottom',
    ]);
  });

  it.each([
    [
      'src/store/query/a.ts',
      "import { x } from '../ledger/x.js';",
      'src/store/query is below src/store/ledger: move what it needs down, or this file up',
    ],
    ['src/store/tables/a.ts', "import type { X } from '../open.js';", 'src/store/tables is below src/store:'],
    [
      'src/store/engine/sqlite/a.ts',
      "import { x } from '../../database/x.js';",
      'is below src/store/database',
    ],
    ['src/inference/ports/a.ts', "import { x } from '../run/run.js';", 'is below src/inference/run'],
    ['src/store/misc/a.ts', '', '"misc" has no place in the table of floors'],
  ])('an arrow up: %s with %j', (path, text, expected) => {
    expect(brokenFloors({ path, text })).toEqual([expect.stringContaining(expected)]);
  });

  it.each([
    ['src/store/open.ts', "import { x } from './migrations/index.js';\nimport { y } from './copy.js';"],
    [
      'src/store/engine/sqlite/a.ts',
      "import { x } from '../engine.js';\nimport { y } from '../postgres/y.js';",
    ],
    ['src/store/tables/a.ts', "import { x } from '../ledger/x.js';\nimport { y } from '../../base/y.js';"],
    ['src/rpc/a.ts', "import { x } from './services/x.js';"],
  ])('and lets an arrow down pass: %s with %j', (path, text) => {
    expect(brokenFloors({ path, text })).toEqual([]);
  });

  it('an environment read elsewhere, but not a comment on one', () => {
    const text = '// process.env is read in config.ts\nconst port = process.env.PORT;';
    expect(environmentReads({ path: 'src/main.ts', text })).toEqual([
      'src/main.ts:2 only src/config/config.ts reads process.env',
    ]);
  });

  it('an import of better-sqlite3 elsewhere', () => {
    const text = "import { join } from 'node:path';\nimport SqliteDatabase from 'better-sqlite3';";
    expect(sqliteImports({ path: 'src/store/copy.ts', text })).toEqual([
      'src/store/copy.ts:2 only src/store/engine/sqlite/connection/connection.ts imports better-sqlite3',
    ]);
  });
});

function environmentReads(file: SourceFile): string[] {
  if (file.path === 'src/config/config.ts') return [];
  return codeLines(file).flatMap((line, index) =>
    /\bprocess\??\.env\b/.test(line)
      ? [fault(file, index + 1, 'only src/config/config.ts reads process.env')]
      : [],
  );
}

/** Whoever makes a connection or a statement elsewhere would not keep it. */
function sqliteImports(file: SourceFile): string[] {
  const owner = 'src/store/engine/sqlite/connection/connection.ts';
  if (file.path === owner) return [];
  return importsOf(file)
    .filter(({ specifier }) => specifier === 'better-sqlite3')
    .map(({ line }) => fault(file, line, `only ${owner} imports better-sqlite3`));
}
