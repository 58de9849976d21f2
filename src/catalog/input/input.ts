/**
 * The catalogue as its file states it, before anything is derived: defaults are not filled in, policies are not laid
 * over each other, ranks are not computed. This is what is imported, stored and exported; `assemble.ts` makes
 * `Model`s of it.
 */
import type { AnalysisIndex, ArenaEntry, DataPolicy, Endpoint, Model, Pricing, Provider } from '../types.js';

/** An endpoint in its own words; null = not stated. */
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
  > {
  /** null = its model's. */
  readonly pricing: Pricing | null;
  /** null = its model's. */
  readonly supportedParameters: readonly string[] | null;
  /** What it states beyond its provider, member by member. */
  readonly dataPolicy: Partial<DataPolicy>;
}

/** A ranking without its place, which follows from the other models. */
export type ArenaEntryInput = Omit<ArenaEntry, 'rank'>;

/** Benchmarks without what follows from the other models. */
export interface BenchmarksInput {
  readonly arenaRankings: readonly ArenaEntryInput[];
  readonly analysisIndex: AnalysisIndex | null;
}

/**
 * A model in its own words; null = not stated. `name`, `created` and `architecture` may be missing only where
 * `aliasTarget` is set: what an alias does not state it takes from its target.
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

/** A whole catalogue as stated: the content of a native file (interface section 7). */
export interface CatalogFile {
  readonly providers: readonly Provider[];
  readonly models: readonly ModelInput[];
}

/** The catalogue that holds nothing. */
export const EMPTY_CATALOG: CatalogFile = { providers: [], models: [] };
