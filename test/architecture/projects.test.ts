import { describe, expect, it } from 'vitest';
import { FOLDERS, SAME_ANYWHERE } from '../support/postgres/differing.js';
import { misplaced } from './projects.js';
import { readSources, type SourceFile } from './sources.js';

const ALL: ReadonlyMap<string, SourceFile> = new Map(
  readSources('test')
    .filter(({ path }) => !path.startsWith('test/architecture/'))
    .map((file) => [file.path, file]),
);

describe('the projects of tests', () => {
  it('what npm test runs needs Node alone and starts no server; what is elsewhere has a reason', () => {
    const found = [...ALL.values()].flatMap((file) => {
      const reason = file.path.endsWith('.test.ts') ? misplaced(file, ALL) : undefined;
      return reason === undefined ? [] : `${file.path}: ${reason}`;
    });
    expect(found).toEqual([]);
  });
});

describe('the run on PostgreSQL', () => {
  it('has every test that differs there', () => {
    const differing = [...ALL.values()].filter(
      ({ path, text }) => /(?<!peers)\.test\.ts$/.test(path) && /DATABASE_KINDS|usualKind\(\)/.test(text),
    );
    expect(differing.length).toBeGreaterThan(30);
    expect(
      differing
        .filter(
          ({ path }) => !FOLDERS.some((folder) => path.startsWith(folder)) || SAME_ANYWHERE.includes(path),
        )
        .map(({ path }) => path),
    ).toEqual([]);
  });

  it('leaves out files that are there, and would be in it', () => {
    expect(SAME_ANYWHERE.filter((path) => !ALL.has(path))).toEqual([]);
    expect(SAME_ANYWHERE.filter((path) => !FOLDERS.some((folder) => path.startsWith(folder)))).toEqual([]);
  });
});

describe('the guard notices', () => {
  it.each([
    ['test/a/a.test.ts', "import { startFront } from '../support/fronts/fronts.js';", /^needs a program/],
    ['test/a/a.test.ts', "execFile('curl', []);", /^needs a program/],
    ['test/a/a.system.test.ts', "await emptyDatabaseUrl('postgres');", /^needs a program/],
    ['test/a/a.test.ts', "import { x } from '../support/server-process.js';", /^starts a server/],
    ['test/a/a.test.ts', "spawnByway(['serve'], env);", /^starts a server/],
    ['test/a/a.peers.test.ts', '', /^needs Node alone/],
    ['test/a/a.system.test.ts', "byway(['db', 'check'], env);", /^starts no server/],
  ])('%s with %s', (path, text, expected) => {
    expect(misplaced({ path, text }, ALL)).toMatch(expected);
  });

  it('what a helper beside the test needs', () => {
    const helper = { path: 'test/a/b.ts', text: "import { x } from '../support/squid.js';" };
    const file = { path: 'test/a/a.test.ts', text: "import { b } from './b.js';" };
    expect(misplaced(file, new Map([[helper.path, helper]]))).toMatch(/^needs a program/);
  });

  it.each([
    ['test/a/a.test.ts', "it.runIf(usualKind() === 'postgres')('a', () => withDatabase('postgres'));"],
    ['test/a/a.test.ts', "byway(['db', 'check'], env);"],
    ['test/a/a.peers.test.ts', "execFile('python3', []);"],
    ['test/a/a.system.test.ts', "import { x } from '../endpoint/serving.js';"],
  ])('and lets what is in its place pass: %s with %s', (path, text) => {
    expect(misplaced({ path, text }, ALL)).toBeUndefined();
  });
});
