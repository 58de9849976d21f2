import type { Violation } from '../../base/problem.js';
import { unknownName } from '../../base/unknown-name.js';
import type { Catalog } from '../../catalog/catalog.js';
import { checkName } from '../../identity/key-rules.js';
import type { Names } from '../guardrails/guardrail.js';

/** The names that restrictions may list. */
export interface KnownNames {
  readonly providers: ReadonlySet<string>;
  readonly regions: ReadonlySet<string>;
}

/** The names that the lists of a restriction or a preference give; null or undefined = no such list was sent. */
export interface SentNames {
  readonly allowedProviders?: Names | undefined;
  readonly ignoredProviders?: Names | undefined;
  readonly allowedDataRegions?: Names | undefined;
}

/** Most unknown names that one list is told of: finding the nearest of each takes longer than reading it. */
const MAX_REPORTED = 100;

/** The region of the ordinary host. */
const GLOBAL_REGION = 'global';

/**
 * Tells the names of a catalogue: its providers, and the regions that it names beside those of the hosts. Each catalogue
 * is looked through once.
 */
export function createKnownNames(hostRegions: Iterable<string>): (catalog: Catalog) => KnownNames {
  const ownRegions = [GLOBAL_REGION, ...hostRegions];
  const known = new WeakMap<Catalog, KnownNames>();
  return (catalog) => {
    const names = known.get(catalog) ?? namesOf(catalog, ownRegions);
    known.set(catalog, names);
    return names;
  };
}

/**
 * A violation for every provider and region that does not exist: a mistyped restriction would protect nothing. Names
 * that were stored earlier are not looked at, so that a provider that has gone does not lock the record.
 */
export function unknownNameViolations(sent: SentNames, { providers, regions }: KnownNames): Violation[] {
  return [
    ...unknownIn('allowed_providers', 'provider', sent.allowedProviders, providers),
    ...unknownIn('ignored_providers', 'provider', sent.ignoredProviders, providers),
    ...unknownIn('allowed_data_regions', 'region', sent.allowedDataRegions, regions),
  ];
}

function namesOf({ models, providers }: Catalog, ownRegions: readonly string[]): KnownNames {
  const ofProviders = [...providers.values()].flatMap(({ regions }) => regions);
  const ofEndpoints = models.flatMap(({ endpoints }) => endpoints.flatMap(({ region }) => region ?? []));
  return {
    providers: new Set(providers.keys()),
    regions: new Set([...ownRegions, ...ofProviders, ...ofEndpoints]),
  };
}

/** What is no name at all is told so by the rule for names. */
function unknownIn(
  field: string,
  kind: string,
  names: Names | undefined,
  known: ReadonlySet<string>,
): Violation[] {
  return [...(names ?? []).entries()]
    .filter(([, name]) => !known.has(name) && checkName(field, name).length === 0)
    .slice(0, MAX_REPORTED)
    .map(([index, name]) => unknownName(`${field}[${index}]`, kind, name, known));
}
