import { namesIt, patternViolation, prefixOf } from '../base/name-pattern.js';
import { unknownName } from '../base/nearest.js';
import type { Violation } from '../base/problem.js';
import type { Catalog } from '../catalog/assembled/catalog.js';
import { checkName } from '../identity/key-rules.js';
import type { Names } from './rules.js';

export interface KnownNames {
  readonly providers: ReadonlySet<string>;
  readonly regions: ReadonlySet<string>;
}

/** The lists of a restriction or a preference; null or undefined = not sent. */
export interface SentNames {
  readonly allowedProviders?: Names | undefined;
  readonly ignoredProviders?: Names | undefined;
  readonly allowedDataRegions?: Names | undefined;
}

/** Unknown names that are reported for a list: finding the nearest known name of each is slow. */
const MAX_REPORTED = 100;

/** The region of hosts without one of their own. */
const GLOBAL_REGION = 'global';

/**
 * Collects the providers of a catalogue, its regions, and the regions of the hosts. The result is cached for each
 * catalogue.
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
 * A violation for every unknown provider and region: a mistyped restriction would not protect anything. Stored names
 * are not checked, so that a record can still be updated after one of its providers was removed.
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

/** Whether a known name is or begins with the entry; a region must be named whole. */
function isKnown(kind: string, entry: string, known: ReadonlySet<string>): boolean {
  if (kind === 'region' && prefixOf(entry) !== undefined) return false;
  return known.has(entry) || [...known].some((name) => namesIt(entry, name));
}

function isWellFormed(field: string, name: string): boolean {
  return checkName(field, name).length === 0 && patternViolation(name) === undefined;
}

/** Names whose form is reported are left out. */
function unknownIn(
  field: string,
  kind: string,
  names: Names | undefined,
  known: ReadonlySet<string>,
): Violation[] {
  return [...(names ?? []).entries()]
    .filter(([, name]) => !isKnown(kind, name, known) && isWellFormed(field, name))
    .slice(0, MAX_REPORTED)
    .map(([index, name]) => unknownName(`${field}[${index}]`, kind, name, known));
}
