/** Entries of rules that name models or providers: a name, or a prefix with `*` at its end. See docs/routing.md#names-in-rules. */

/** Outer blanks and case make no difference. */
export function foldName(name: string): string {
  return name.trim().toLowerCase();
}

/** What names have to begin with, folded, where the entry is a prefix. */
export function prefixOf(entry: string): string | undefined {
  const folded = foldName(entry);
  return folded.endsWith('*') ? folded.slice(0, -1) : undefined;
}

/** Whether the entry is this name, or a prefix of it. */
export function namesIt(entry: string, name: string): boolean {
  const prefix = prefixOf(entry);
  const folded = foldName(name);
  return prefix === undefined ? foldName(entry) === folded : folded.startsWith(prefix);
}

/** What is wrong with the form of an entry, as rule and message. */
export function patternViolation(
  entry: string,
): { readonly rule: string; readonly message: string } | undefined {
  const folded = foldName(entry);
  if (folded === '') return { rule: 'length', message: 'must not be empty' };
  const star = folded.indexOf('*');
  if (star === -1 || (star > 0 && star === folded.length - 1)) return undefined;
  return {
    rule: 'pattern',
    message:
      'may have * only at its end, after the beginning of a name, such as openai/*; no list at all (null) admits everything',
  };
}

interface Compiled {
  readonly exact: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

const compiled = new WeakMap<readonly string[], Compiled>();

/** Whether any entry of the list names it. The list is read once, so it must not change. */
export function isListed(list: readonly string[], name: string): boolean {
  if (list.length === 0) return false;
  const { exact, prefixes } = compiledOf(list);
  const folded = foldName(name);
  return exact.has(folded) || prefixes.some((prefix) => folded.startsWith(prefix));
}

function compiledOf(list: readonly string[]): Compiled {
  const known = compiled.get(list);
  if (known !== undefined) return known;
  const prefixes = list.flatMap((entry) => prefixOf(entry) ?? []);
  const made = { exact: new Set(list.map(foldName)), prefixes };
  compiled.set(list, made);
  return made;
}
