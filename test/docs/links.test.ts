import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fault, readSources, type SourceFile } from '../architecture/sources.js';
import { anchorsOf, codeSpans, linksOf, type Page, readPage, readPages } from './pages.js';

const MAX_README_LINES = 250;

describe('the documentation', () => {
  it('links only to files and headings that are there', () => {
    expect(readPages().flatMap(brokenLinks)).toEqual([]);
  });

  it('names only files of the project that are there', () => {
    expect(readPages().filter(isOfToday).flatMap(lostFiles)).toEqual([]);
  });

  it('is cited by the code only with pages and headings that are there', () => {
    expect(readSources('src', 'test').filter(isNoExample).flatMap(brokenCitations)).toEqual([]);
  });

  it('has no page that nothing links to', () => {
    const pages = readPages();
    const linked = new Set(pages.flatMap(linkedFrom));
    const lost = pages.filter(({ path }) => path !== 'README.md' && !linked.has(path));
    expect(lost.map(({ path }) => path)).toEqual([]);
  });

  it(`has a README that is read in a few minutes: less than ${MAX_README_LINES} lines`, () => {
    expect(readPage('README.md').text.trimEnd().split('\n').length).toBeLessThan(MAX_README_LINES);
  });
});

describe('the guard notices', () => {
  it.each([
    ['a file that is not there', '[x](nowhere.md)', 'nowhere.md'],
    ['a heading that the page does not have', '# One\n\n[x](#two)', '#two'],
    ['a heading that another page does not have', '[x](README.md#nothing-of-the-kind)', 'README.md#nothing'],
    ['a link behind others in its line', '[a](README.md) [b](b.md)', 'b.md'],
  ])('%s', (_, text, target) => {
    expect(brokenLinks({ path: 'page.md', text })).toEqual([expect.stringContaining(target)]);
  });

  it.each([
    ['code', '`[x](nowhere.md)`\n\n```sh\n[x](nowhere.md)\n```'],
    ['other hosts', '[x](https://example.com/nowhere#at-all)'],
    ['headings with code and punctuation', '## The `key`, again: what?\n\n[x](#the-key-again-what)'],
    ['headings of the same name', '# A\n# A\n\n[x](#a-1)'],
  ])('and lets pass: %s', (_, text) => {
    expect(brokenLinks({ path: 'page.md', text })).toEqual([]);
  });

  it.each([
    ['docs/nowhere.md', 'there is no page docs/nowhere.md'],
    ['docs/routing.md#nowhere', 'there is no heading docs/routing.md#nowhere'],
  ])('a citation of %s in the code', (citation, rule) => {
    const text = `/** See docs/routing.md#explain. */\n/** See ${citation}. */`;
    expect(brokenCitations({ path: 'src/a.ts', text })).toEqual([`src/a.ts:2 ${rule}`]);
  });

  it('a file in code that is not there', () => {
    const page = {
      path: 'docs/page.md',
      text: 'In `src/nowhere.ts`, not in `src/config/config.ts` or `src/*.ts`.',
    };
    expect(lostFiles(page)).toEqual(['docs/page.md names src/nowhere.ts, which is not there']);
  });
});

/** `docs/routing.md#explain` in comments of the code, by file and line. */
function brokenCitations(file: SourceFile): string[] {
  return file.text.split('\n').flatMap((line, index) =>
    [...line.matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)].flatMap(([citation, path = '', anchor]) => {
      if (!existsSync(path)) return [fault(file, index + 1, `there is no page ${path}`)];
      const isKnown = anchor === undefined || anchorsOf(readPage(path)).has(anchor);
      return isKnown ? [] : [fault(file, index + 1, `there is no heading ${citation}`)];
    }),
  );
}

/** The tests of this folder make up pages that are not there. */
function isNoExample({ path }: SourceFile): boolean {
  return !path.startsWith('test/docs/');
}

function brokenLinks(page: Page): string[] {
  return linksOf(page).flatMap(({ line, target }) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [file = '', anchor] = target.split('#');
    const path = file === '' ? page.path : posix.join(posix.dirname(page.path), file);
    const place = `${page.path}:${line} links to ${target}`;
    if (file !== '' && !existsSync(path)) return [`${place}: there is no file ${path}`];
    if (anchor === undefined) return [];
    const anchors = anchorsOf(file === '' ? page : readPage(path));
    return anchors.has(anchor) ? [] : [`${place}: ${path} has no such heading`];
  });
}

/** Paths in code spans that look like ours; patterns and what a build makes are nobody's file. */
function lostFiles(page: Page): string[] {
  return codeSpans(page)
    .filter((text) => /^(?:src|proto|test|scripts|deploy|docs)\/[\w./-]+$/.test(text))
    .filter((path) => !existsSync(path))
    .map((path) => `${page.path} names ${path}, which is not there`);
}

function linkedFrom(page: Page): string[] {
  return linksOf(page).map(({ target }) => posix.join(posix.dirname(page.path), target.split('#')[0] ?? ''));
}

/** What tells of the past may name what is gone. */
function isOfToday({ path }: Page): boolean {
  return path !== 'CHANGELOG.md';
}
