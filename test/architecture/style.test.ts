import { describe, expect, it } from 'vitest';
import { codeLines, fault, readSources, type SourceFile } from './sources.js';

const MAX_LINES = 300;

describe('house style', () => {
  const source = readSources('src');
  const all = [...source, ...readSources('test')];

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

  it('everything that src exports has a docstring', () => {
    expect(source.flatMap(undocumented)).toEqual([]);
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

  it('an export without a docstring', () => {
    const text = [
      '/** What it is. */',
      'export const NAMES = [] as const;',
      'export type Name = (typeof NAMES)[number];',
      '',
      'export async function lonely() {}',
      '/** Both of them. */',
      'export function twice(a: string): void;',
      'export function twice(a: number): void;',
      "export { other } from './other.js';",
    ].join('\n');
    expect(undocumented({ path: 'src/a.ts', text })).toEqual([
      'src/a.ts:5 lonely is exported without a docstring',
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

const DECLARATION =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type) ([\w$]+)/;
// The list right above carries the docstring of the type that is made of it.
const DERIVED = /^export type \w+ = (?:\(typeof \w+\)\[number\]|keyof typeof \w+);$/;

function undocumented(file: SourceFile): string[] {
  const lines = file.text.split('\n');
  const documented = new Set<string>();
  return lines.flatMap((line, index) => {
    const name = DECLARATION.exec(line)?.[1];
    if (name === undefined || DERIVED.test(line) || documented.has(name)) return [];
    documented.add(name);
    const before = lines.slice(0, index).findLast((earlier) => earlier.trim() !== '');
    return before?.trimEnd().endsWith('*/')
      ? []
      : [fault(file, index + 1, `${name} is exported without a docstring`)];
  });
}
