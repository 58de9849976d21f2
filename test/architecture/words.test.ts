import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPages } from '../docs/pages.js';
import { readSources, type SourceFile, fault as violation } from './sources.js';

/** Words that once had a meaning of their own here, and the field's words for them. */
const RETIRED: readonly (readonly [RegExp, string])[] = [
  // But for the label of metrics, which people query.
  [/(?<!['"`]|label )\bdoors?\b(?!['"`=:])/i, 'transport'],
  [/\bcorridors?\b/i, 'interceptor chain'],
  [/\bfacades?\b/i, 'REST plugin'],
  [/\btake-?over|takes? over the reply\b/i, 'hijack the reply'],
  [/\bspend ?books?\b/i, 'ledger'],
  [/\bkept ?back\b|\bkeeps? back\b/i, 'reserve'],
  [/\bspenders?\b/i, 'payer'],
  [/\bobjections?\b/i, 'preconditions'],
  [/\blookouts?\b/i, 'poller'],
  [/\bstandpoints?\b/i, 'evaluation context'],
  [/\bunder ?way\b/i, 'in flight'],
  [/\bconceal\w*/i, 'redact'],
  [/\bwish(es)?\b/i, 'selection'],
  [/\bplatform [ABC]\b/, 'Azure, Amazon Bedrock or Google Vertex AI'],
  [/\b(LONGEST|MOST|HIGHEST)_[A-Z]/, 'MAX_'],
  [/\b(LEAST|LOWEST)_[A-Z]/, 'MIN_'],
  [/\b[A-Z_]+_BOUND\b/, 'MAX_'],
  [/[a-z]Faults?\b|\bfaulty\b/, 'violation or error'],
];

/** Documents that the repository does not have: what they say stands in docs, or where it matters. */
const ABSENT: readonly (readonly [RegExp, string])[] = [
  [/\b(spec|interface)(\.md)? (section |sections )?\d/i, 'a page of docs'],
  [/\b(pitfalls|upstreams|house)\.md\b/, 'a page of docs'],
  [/\(R\d+(, R\d+)*\)/, 'the rule itself'],
];

/** Words of the glossary that tempt, and where declarations may have them: elsewhere they would name something else. */
const OWNED: readonly (readonly [string, RegExp])[] = [
  [
    'mark',
    /^src\/(formats\/|byok\/vault\/account-hmac-keys|store\/(byok\/account-hmac-key-store|schema\/schema)|rpc\/mark-signers)/,
  ],
  ['place', /^src\/(base\/fair-places|providers\/http\/places|providers\/common\/failures)/],
  ['slot', /^src\/base\/memory\//],
  ['told', /^src\/inference\/attempts\//],
  ['candidate', /^src\/(routing\/|inference\/attempts\/)/],
];

/** Names that stay as they are: a standard's, and those of migrations and of in-band numbers. */
const OTHERS = /BYTE_?ORDER_?MARK|withoutByteOrderMark|^(SERIALIZED_)?MARK$|makePlacesMovable/i;

const DECLARED =
  /^(?:export )?(?:default )?(?:abstract |async )*(?:function\*?|class|interface|type|const|enum) (\w+)/gm;

const KINDS = /\.(tsx?|mjs|cjs|proto|css|html|py|sh|ya?ml|json|toml)$/;

describe('the words of the project', () => {
  it('are those of the field', () => {
    expect([...sources(), ...readPages()].flatMap((file) => found(file, RETIRED))).toEqual([]);
  });

  it('name one thing each, where a declaration has them', () => {
    expect(readSources('src').flatMap(misnamed)).toEqual([]);
  });

  it('cite nothing that the repository does not have', () => {
    expect([...sources(), ...readPages()].flatMap((file) => found(file, ABSENT))).toEqual([]);
  });
});

describe('the guard notices', () => {
  it.each([
    ['a retired word', 'x(); // by every door', 'src/a.ts:1 "door": say transport'],
    ['one within a name', 'const MAX_KEYS = KEY_BOUND;', 'src/a.ts:1 "KEY_BOUND": say MAX_'],
  ])('%s', (_, text, expected) => {
    expect(found({ path: 'src/a.ts', text }, RETIRED)).toEqual([expected]);
  });

  it('a declaration that borrows a word', () => {
    const text = 'export const FIRST_PLACES = 1;\nfunction marketOf() {}\n';
    expect(misnamed({ path: 'src/a.ts', text })).toEqual([
      'src/a.ts: FIRST_PLACES has the word "place" of the glossary',
    ]);
    expect(misnamed({ path: 'src/base/fair-places.ts', text })).toEqual([]);
  });

  it('a citation of what is not there', () => {
    expect(found({ path: 'src/a.ts', text: '/** See interface section 6. */' }, ABSENT)).toEqual([
      'src/a.ts:1 "interface section 6": say a page of docs',
    ]);
  });
});

function misnamed({ path, text }: SourceFile): string[] {
  const names = [...text.matchAll(DECLARED)].map((match) => match[1] ?? '');
  return names.flatMap((name) =>
    OWNED.filter(([word, owners]) => hasWord(name, word) && !owners.test(path) && !OTHERS.test(name)).map(
      ([word]) => `${path}: ${name} has the word "${word}" of the glossary`,
    ),
  );
}

/** Whether a name has the word, alone or in the plural: `FIRST_PLACES` and `firstPlace` have `place`, `replaced` has not. */
function hasWord(name: string, word: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_');
  return words.some((one) => one === word || one === `${word}s`);
}

/** What people write; this file holds the words itself, and some are data of others. */
function sources(): SourceFile[] {
  const folders = ['src', 'test', 'proto', 'scripts', 'deploy'];
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter(
      (path) => KINDS.test(path) && !/architecture\/words\.test|catalog\/data|golden|fixtures/.test(path),
    )
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

function found(file: SourceFile, words: typeof RETIRED): string[] {
  return file.text.split('\n').flatMap((line, index) =>
    words.flatMap(([pattern, instead]) => {
      const [word] = pattern.exec(line) ?? [];
      return word === undefined ? [] : [violation(file, index + 1, `"${word}": say ${instead}`)];
    }),
  );
}
