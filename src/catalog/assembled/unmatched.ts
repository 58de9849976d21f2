/** Warnings about entries of rules that name nothing now, so that the rule protects nothing: docs/routing.md#warnings. */
import { namesIt, prefixOf } from '../../base/name-pattern.js';
import { nearestNames } from '../../base/nearest.js';
import type { Violation } from '../../base/problem.js';
import type { Catalog } from './catalog.js';
import { modelsNamedBy } from './model-patterns.js';

/** How many warnings a list gets. Whoever mends these is then told of the rest. */
const MAX_WARNINGS = 20;

type Entries = readonly string[] | null;
type Names = Pick<Catalog, 'models' | 'resolveId' | 'nearestModelIds'>;

/** Entries that name no model. */
export function unmatchedModels(field: string, entries: Entries, catalog: Names): Violation[] {
  const isUnmatched = (entry: string) => modelsNamedBy(entry, catalog).length === 0;
  return warned(field, entries, isUnmatched, (entry) => {
    const [near] = prefixOf(entry) === undefined ? catalog.nearestModelIds(entry) : [];
    return `no model of the catalogue is called so now${suggestion(near)}: until one is, this entry has no effect`;
  });
}

/** Entries that name none of the known things of a kind: `provider`, `region`. */
export function unmatchedNames(
  field: string,
  entries: Entries,
  kind: string,
  known: ReadonlySet<string>,
): Violation[] {
  const isUnmatched = (entry: string) => ![...known].some((name) => namesIt(entry, name));
  return warned(field, entries, isUnmatched, (entry) => {
    const [near] = nearestNames(entry, known);
    return `no ${kind} is called so now${suggestion(near)}: until one is, this entry has no effect`;
  });
}

/** `unmatched` for each entry of which that holds. */
export function warned(
  field: string,
  entries: Entries,
  isUnmatched: (entry: string) => boolean,
  messageOf: (entry: string) => string,
): Violation[] {
  const found: Violation[] = [];
  for (const [index, entry] of (entries ?? []).entries()) {
    if (found.length === MAX_WARNINGS) break;
    if (isUnmatched(entry))
      found.push({ field: `${field}[${index}]`, rule: 'unmatched', message: messageOf(entry) });
  }
  return found;
}

function suggestion(near: string | undefined): string {
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}
