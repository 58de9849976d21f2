import { nearestNames } from '../../base/nearest.js';
import { PARAMETERS } from '../enums.js';
import type { CatalogFile } from '../input/catalog-file.js';

const KNOWN: ReadonlySet<string> = new Set(PARAMETERS);

/**
 * A warning for each name among supported parameters that is not a known one: it may be meant, and admits a member, a type of
 * tools or a beta feature over shared capacity, or be mistyped.
 */
export function allowedNameWarnings({ models }: CatalogFile): readonly string[] {
  const counts = new Map<string, number>();
  for (const { supportedParameters, endpoints } of models) {
    const lists = [supportedParameters, ...endpoints.map((endpoint) => endpoint.supportedParameters)];
    const named = new Set(lists.flatMap((list) => list ?? []).filter((name) => !KNOWN.has(name)));
    for (const name of named) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => {
    const [nearest] = nearestNames(name, PARAMETERS);
    const hint = nearest === undefined ? '' : `; if ${nearest} is meant, spell it so`;
    const of = count === 1 ? '1 model' : `${count} models`;
    return `supported_parameters of ${of} name "${name}", which is no usual parameter: requests may have it over shared capacity, whatever it costs${hint}`;
  });
}
