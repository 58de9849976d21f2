import { describe, expect, it } from 'vitest';
import { codeLines, fault, readSources, type SourceFile } from './sources.js';

const MAX_LINES = 300;

describe('house style', () => {
  const all = readSources('src', 'test');

  it(`no file is longer than ${MAX_LINES} lines`, () => {
    expect(all.flatMap(tooLong)).toEqual([]);
  });

  it('nothing is of type any', () => {
    expect(all.flatMap((file) => linesWith(file, /:\s*any\b/, 'the type any'))).toEqual([]);
  });

  it('no test is singled out, skipped or put off', () => {
    const pattern = /\b(?:it|test|describe|suite|bench)\b[\w.]*\.(?:only|skip|todo)\b/;
    expect(all.flatMap((file) => linesWith(file, pattern, 'a test that is only, skip or todo'))).toEqual([]);
  });
});

describe('the guard notices', () => {
  it('a long file', () => {
    expect(tooLong({ path: 'src/a.ts', text: 'x;\n'.repeat(301) })).toEqual([
      'src/a.ts:301 more than 300 lines (301)',
    ]);
    expect(tooLong({ path: 'src/a.ts', text: 'x;\n'.repeat(300) })).toEqual([]);
  });

  it('any as a type, but not the word in a text or comment', () => {
    const text = ['/** note: any */', 'let a: any;', "let b = 'of: any';", 'let c = 1; // like: any'].join(
      '\n',
    );
    expect(linesWith({ path: 'src/a.ts', text }, /:\s*any\b/, 'the type any')).toEqual([
      'src/a.ts:2 the type any',
    ]);
  });
});

function tooLong(file: SourceFile): string[] {
  const count = file.text.replace(/\n$/, '').split('\n').length;
  return count > MAX_LINES ? [fault(file, count, `more than ${MAX_LINES} lines (${count})`)] : [];
}

function linesWith(file: SourceFile, pattern: RegExp, rule: string): string[] {
  return codeLines(file).flatMap((line, index) => (pattern.test(line) ? [fault(file, index + 1, rule)] : []));
}
