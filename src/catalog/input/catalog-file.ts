/**
 * The content of a catalogue file, before anything is derived: no defaults, no merged policies, no ranks. This is what
 * is imported, stored and exported; `assemble.ts` makes `Model`s of it.
 */
import type { Quirks } from '../quirks.js';
import type {
  AnalysisIndex,
  ArenaEntry,
  DataPolicy,
  Endpoint,
  Format,
  Model,
  PriceMode,
  Pricing,
  Provider,
} from '../types.js';

/** What is read in place of a header's value; importing it keeps the value that is stored. */
export const SECRET = '(secret)';

/** Texts by price keys: `prompt`, `overrides[0].prompt`, `price_modes[1].multiplier`. */
export type PriceNotes = Readonly<Record<string, string>>;

/** null = not given. */
export interface EndpointInput
  extends Pick<
    Endpoint,
    | 'provider'
    | 'upstreamModelId'
    | 'region'
    | 'contextLength'
    | 'maxCompletionTokens'
    | 'isModerated'
    | 'quantization'
    | 'status'
    | 'isUnpriced'
  > {
  /** null = its model's. */
  readonly pricing: Pricing | null;
  /** Its prices in modes; absent = its provider's. */
  readonly priceModes?: readonly PriceMode[];
  /** Why prices that look wrong are right, by the keys that `byway catalog check --prices` finds. */
  readonly priceNotes?: PriceNotes;
  /** null = its model's. */
  readonly supportedParameters: readonly string[] | null;
  /** Overrides its provider's, member by member. */
  readonly dataPolicy: Partial<DataPolicy>;
  /** null = by its provider and model. */
  readonly formats: readonly Format[] | null;
  /** Override its provider's, member by member. */
  readonly quirks: Quirks;
}

/** A ranking without its rank, which depends on the other models. */
export type ArenaEntryInput = Omit<ArenaEntry, 'rank'>;

export interface BenchmarksInput {
  readonly arenaRankings: readonly ArenaEntryInput[];
  readonly analysisIndex: AnalysisIndex | null;
}

/**
 * null = not given. `name`, `created` and `architecture` are only optional with `aliasTarget`: an alias takes what it
 * does not set from its target.
 */
export interface ModelInput
  extends Omit<
    Model,
    'canonicalSlug' | 'name' | 'created' | 'architecture' | 'supportedParameters' | 'benchmarks' | 'endpoints'
  > {
  /** null = the id. */
  readonly canonicalSlug: string | null;
  readonly name: string | null;
  readonly created: number | null;
  readonly architecture: Model['architecture'] | null;
  readonly supportedParameters: readonly string[] | null;
  readonly benchmarks: BenchmarksInput | null;
  readonly endpoints: readonly EndpointInput[];
}

/** The content of a native file. */
export interface CatalogFile {
  readonly providers: readonly Provider[];
  readonly models: readonly ModelInput[];
  /** Slugs of providers and ids of models that are the operator's own (`origin: operator`); no slug is an id. */
  readonly own?: ReadonlySet<string>;
}

export const EMPTY_CATALOG: CatalogFile = { providers: [], models: [] };
