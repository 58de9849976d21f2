import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GLOSSARY, type Term } from './glossary.js';
import type { SourceFile } from './sources.js';

const PAGE = 'docs/architecture.md';

/** The tables of the glossary, from the first topic to the end of the page. */
const TABLES = /(## Glossary\n\n(?:(?!\*\*).*\n)+\n)\*\*[\s\S]*$/;

describe('the glossary', () => {
  it('has an owner for every word, which names it or says it in a docstring', () => {
    expect(GLOSSARY.flatMap(violations)).toEqual([]);
  });

  it('has no word twice', () => {
    expect(repeated(GLOSSARY.map(({ word }) => wordsIn(word)))).toEqual([]);
  });

  it('is what docs/architecture.md shows; UPDATE_GOLDEN=1 writes it anew', () => {
    const written = readFileSync(PAGE, 'utf8').replace(TABLES, (_, intro: string) => intro + tables());
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(PAGE, written);
    expect(readFileSync(PAGE, 'utf8')).toBe(written);
    expect(written).toContain(tables());
  });
});

describe('the guard notices', () => {
  const lane: Term = { topic: 'T', word: 'lane', means: 'a lane', owner: 'src/a.ts' };

  it('an owner that is not there', () => {
    expect(violations({ ...lane, owner: 'src/nowhere.ts' })).toEqual([
      'lane: there is no file src/nowhere.ts',
    ]);
  });

  it.each([
    ['a name that is not exported', 'function laneOf() {}'],
    ['a comment that is no docstring', '// A lane.\nexport const a = 1;'],
    ['a part of a word', 'export const planes = 1;'],
  ])('that an owner has no more than %s', (_, text) => {
    expect(isOwned(lane, { path: 'src/a.ts', text })).toBe(false);
  });

  it.each([
    ['an exported name', 'export async function laneOf() {}'],
    ['an exported constant', 'export const MAX_LANES = 2;'],
    ['a docstring', '/**\n * Says which\n * lane an attempt takes.\n */'],
  ])('and lets pass: %s', (_, text) => {
    expect(isOwned(lane, { path: 'src/a.ts', text })).toBe(true);
  });

  it('a word that stands twice, also in another spelling', () => {
    expect(repeated(['Top-up', 'top up', 'fee'].map(wordsIn))).toEqual(['top up']);
  });
});

function violations(term: Term): string[] {
  const { word, owner } = term;
  if (!existsSync(owner)) return [`${word}: there is no file ${owner}`];
  const isThere = isOwned(term, { path: owner, text: readFileSync(owner, 'utf8') });
  return isThere ? [] : [`${word}: neither an exported name nor a docstring of ${owner} has it`];
}

function isOwned({ word }: Term, { text }: SourceFile): boolean {
  const names = [...text.matchAll(/^export (?:(?:abstract|async) )*(?:function\*?|\w+) (\w+)/gm)];
  const said = [...names.map((match) => match[1] ?? ''), ...(text.match(/\/\*\*[\s\S]*?\*\//g) ?? [])];
  return said.some((one) => ` ${wordsIn(one)}`.match(` ${wordsIn(word)}(?:e?s)?(?: |$)`) !== null);
}

/** The words of a name or a text, in small letters: `MAX_LANES` and `maxLanes` are `max lanes`. */
function wordsIn(text: string): string {
  const divided = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return (
    divided
      .toLowerCase()
      .match(/[a-z\d]+/g)
      ?.join(' ') ?? ''
  );
}

function repeated(words: readonly string[]): string[] {
  return words.filter((word, index) => words.indexOf(word) < index);
}

function tables(): string {
  const topics = [...new Set(GLOSSARY.map(({ topic }) => topic))];
  return topics
    .map((topic) => {
      const rows = GLOSSARY.filter((term) => term.topic === topic).map(rowOf);
      return `**${topic}**\n\n| Word | Means | Owner |\n|---|---|---|\n${rows.join('')}`;
    })
    .join('\n');
}

function rowOf({ word, means, owner }: Term): string {
  return `| ${word} | ${means} | [${owner.replace(/^src\//, '')}](../${owner}) |\n`;
}
