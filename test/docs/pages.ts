import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** A page of the documentation; `path` is relative to the project's root. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** A reference from one page to another place, as it is written there. */
export interface Link {
  readonly line: number;
  readonly target: string;
}

/** The page at this path. */
export function readPage(path: string): Page {
  return { path, text: readFileSync(path, 'utf8').replaceAll('\r\n', '\n') };
}

/** The pages at the root, test/README.md and every page below docs/. */
export function readPages(): Page[] {
  const below = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join('docs', name.replaceAll('\\', '/')))
    .filter((path) => path.endsWith('.md'))
    .sort();
  const others = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'test/README.md'];
  return [...others.filter((path) => existsSync(path)), ...below].map(readPage);
}

/** The links and images of a page, without what stands in code. */
export function linksOf(page: Page): Link[] {
  return prose(page).flatMap((text, index) =>
    [...text.matchAll(/\]\(([^()\s]+)\)/g)].map((match) => ({ line: index + 1, target: match[1] ?? '' })),
  );
}

/** What links may name in a page: its headings, in the spelling that GitHub gives them. */
export function anchorsOf(page: Page): Set<string> {
  const anchors = new Set<string>();
  for (const text of withoutFences(page)) {
    const heading = /^#{1,6} +(.*?)(?: +#+)? *$/.exec(text)?.[1];
    if (heading === undefined) continue;
    const slug = slugOf(heading);
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Everything that a page has in code spans, one entry each. */
export function codeSpans(page: Page): string[] {
  return withoutFences(page).flatMap((text) =>
    [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''),
  );
}

function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\p{Mark}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function prose(page: Page): string[] {
  return withoutFences(page).map((text) => text.replace(/`[^`]*`/g, ''));
}

/** The lines, those of fenced code empty. */
function withoutFences({ text }: Page): string[] {
  let isCode = false;
  return text.split('\n').map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    return isFence || isCode ? '' : line;
  });
}
