import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REASONS } from '../../src/base/reasons.js';
import { runByway } from '../../src/cli/byway.js';
import { givenSettings } from '../../src/config/config.js';
import { EXCLUSION_REASONS } from '../../src/routing/types.js';
import { readSources, type SourceFile } from '../architecture/sources.js';
import { codeSpans, type Page, readPage } from './pages.js';

const ROUTING = readPage('docs/routing.md');
const COMPATIBILITY = readPage('docs/compatibility.md');
const OPERATIONS = readPage('docs/operations.md');

const ROOT = '/api/v1';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Every command is loaded, and most of them need the whole gateway. */
const LOADING_MS = 60_000;

describe('the documentation says something of', () => {
  it('every variable of the environment that is read', () => {
    expect(missing(givenSettings({}).known, OPERATIONS)).toEqual([]);
  });

  it(
    'every command',
    async () => {
      const commands = await commandsBelow([]);
      expect(commands).toContain('vault rotate');
      expect(missing(commands, OPERATIONS)).toEqual([]);
    },
    LOADING_MS,
  );

  it('every metric', () => {
    const families = readSources('src/server').flatMap(metricsOf);
    expect(families).toContain('byway_chats_total');
    expect(missing(families, OPERATIONS)).toEqual([]);
  });

  it('every reason of an error', () => {
    expect(missing(Object.keys(REASONS), COMPATIBILITY)).toEqual([]);
  });

  it('every rule of a violation', () => {
    const rules = readSources('src').filter(isServed).flatMap(rulesOf);
    expect(rules).toContain('stateless');
    expect(missing(rules, COMPATIBILITY)).toEqual([]);
  });

  it('every reason of an exclusion', () => {
    expect(missing(EXCLUSION_REASONS, ROUTING)).toEqual([]);
  });

  it('every operation of the REST API', () => {
    expect(missing(operationsOf('test/api/golden/openapi.json'), COMPATIBILITY)).toEqual([]);
  });
});

describe('the guard notices', () => {
  it('a word that stands nowhere, only outside of code, or only within another', () => {
    const page: Page = { path: 'page.md', text: 'one\n\n`two_more` and `three`' };
    expect(missing(['one', 'two', 'three'], page)).toEqual([
      'page.md says nothing of `one`',
      'page.md says nothing of `two`',
    ]);
  });

  it('metrics wherever they are made', () => {
    const text =
      "const a = counts('byway_a_total', 'As.');\nconst b = times(\n  'byway_b_seconds',\n  'Bs.',\n);";
    expect(metricsOf({ path: 'a.ts', text })).toEqual(['byway_a_total', 'byway_b_seconds']);
  });
});

/** The words that no code span of the page has; a command also counts with its options behind it. */
function missing(words: readonly string[], page: Page): string[] {
  const text = codeSpans(page).join('\n');
  return words
    .filter((word) => !text.match(new RegExp(`(?<![\\w/-])${word.replace(/[{}]/g, '\\$&')}(?![\\w/-])`)))
    .map((word) => `${page.path} says nothing of \`${word}\``);
}

/** Commands and the files of the catalogue have rules of their own, which say themselves what is wrong. */
function isServed({ path }: SourceFile): boolean {
  return !/^src\/(?:cli|catalog)\//.test(path);
}

function rulesOf({ text }: SourceFile): string[] {
  return [...text.matchAll(/\brule: '(\w+)'/g)].map(([, rule]) => rule ?? '');
}

/** Every command that can be run, by what its help lists: `account create`, `doctor`. */
async function commandsBelow(path: readonly string[]): Promise<string[]> {
  let help = '';
  const output = { write: (text: string) => (help += text) };
  const stdin = (async function* () {})();
  await runByway([...path, '--help'], { stdin, stdout: output, stderr: output });
  const [, listed] = help.split('\nCommands:\n');
  if (listed === undefined) return [path.join(' ')];
  const names = [...listed.matchAll(/^ {2}([a-z][\w-]*)/gm)].map((match) => match[1] ?? '');
  const inner = await Promise.all(
    names.filter((name) => name !== 'help').map((name) => commandsBelow([...path, name])),
  );
  return inner.flat();
}

/** The families that a file makes: a name, and what it means. */
function metricsOf({ text }: SourceFile): string[] {
  return [...text.matchAll(/'(byway_[a-z0-9_]+)',\s*'[A-Z]/g)].map((match) => match[1] ?? '');
}

/** `GET /keys/{hash}` and so on: the operations of an OpenAPI document, below the root of the API. */
function operationsOf(file: string): string[] {
  const { paths }: { paths: Record<string, object> } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries(paths)
    .filter(([path]) => path.startsWith(ROOT))
    .flatMap(([path, item]) => METHODS.filter((method) => method in item).map((method) => [method, path]))
    .map(([method = '', path = '']) => `${method.toUpperCase()} ${path.slice(ROOT.length)}`);
}
