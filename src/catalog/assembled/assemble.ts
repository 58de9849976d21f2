import { defaultFormats } from '../formats.js';
import type { CatalogFile, EndpointInput, ModelInput } from '../input/catalog-file.js';
import { compareEndpoints } from '../price.js';
import { mergeQuirks } from '../quirks.js';
import type { Architecture, Endpoint, Model, PriceMode, Pricing, Provider } from '../types.js';
import { dataPolicyOf } from '../visibility.js';
import { rankArenas } from './ranks.js';

const DEFAULT_ARCHITECTURE: Architecture = {
  modality: null,
  inputModalities: [],
  outputModalities: [],
  instructType: undefined,
  tokenizer: undefined,
};

/** What nobody knows the price of is charged nothing, and shared capacity is not used for it. */
const UNPRICED: Pricing = { prices: { prompt: '0', completion: '0' }, discount: null, overrides: [] };

/**
 * Makes models of a validated file: endpoints inherit from their model, data policies are merged, endpoints get ids and
 * are sorted by price, arenas are ranked, and aliases get their target's data.
 */
export function assembleModels(file: CatalogFile, providers: ReadonlyMap<string, Provider>): Model[] {
  const ranks = rankArenas(file.models);
  const concrete = new Map<string, Model>();
  for (const input of file.models) {
    if (input.aliasTarget !== null) continue;
    concrete.set(input.id, assembleModel(input, providers, ranks(input)));
  }
  return file.models.flatMap((input) => {
    const model = concrete.get(input.id);
    if (model !== undefined) return [model];
    const target = concrete.get(input.aliasTarget ?? '');
    return target === undefined ? [] : [assembleAlias(input, target)];
  });
}

function architectureOf({ architecture }: ModelInput): Architecture {
  return architecture ?? DEFAULT_ARCHITECTURE;
}

function assembleModel(
  input: ModelInput,
  providers: ReadonlyMap<string, Provider>,
  benchmarks: Model['benchmarks'],
): Model {
  return {
    ...input,
    canonicalSlug: input.canonicalSlug ?? input.id,
    name: input.name ?? input.id,
    created: input.created ?? 0,
    architecture: architectureOf(input),
    supportedParameters: input.supportedParameters ?? [],
    benchmarks,
    endpoints: assembleEndpoints(input, providers),
  };
}

function assembleEndpoints(model: ModelInput, providers: ReadonlyMap<string, Provider>): Endpoint[] {
  const names = endpointNames(model);
  const endpoints = model.endpoints.flatMap((input, index) => {
    const provider = providers.get(input.provider);
    const pricing = input.isUnpriced ? UNPRICED : (input.pricing ?? model.pricing);
    if (provider === undefined || pricing === null) return [];
    return [assembleEndpoint(input, model, pricing, provider, names[index] ?? '')];
  });
  return endpoints.sort(compareEndpoints);
}

/** The id of each endpoint of the model: `provider/author/model`, `@region` if it has one, `#n` for duplicates. */
export function endpointNames(model: Pick<ModelInput, 'endpoints' | 'id'>): string[] {
  const counts = new Map<string, number>();
  return model.endpoints.map(({ provider, region }) => {
    const name = `${provider}/${model.id}${region === null ? '' : `@${region}`}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  });
}

/** The prices under all conditions: with the modes of the endpoint, else of its provider. */
function inModes(pricing: Pricing, modes: readonly PriceMode[] = []): Pricing {
  return modes.length === 0 ? pricing : { ...pricing, modes };
}

function assembleEndpoint(
  { priceModes, priceNotes: _, ...input }: EndpointInput,
  model: ModelInput,
  pricing: Pricing,
  provider: Provider,
  id: string,
): Endpoint {
  const names = { modelId: model.id, upstreamModelId: input.upstreamModelId };
  return {
    ...input,
    id,
    modelId: model.id,
    pricing: pricing === UNPRICED ? UNPRICED : inModes(pricing, priceModes ?? provider.priceModes),
    contextLength: input.contextLength ?? model.contextLength,
    supportedParameters: input.supportedParameters ?? model.supportedParameters ?? [],
    dataPolicy: dataPolicyOf(input.dataPolicy, provider),
    formats: input.formats ?? defaultFormats(names, provider, architectureOf(model)),
    quirks: mergeQuirks(provider.quirks, input.quirks),
  };
}

/** An alias is routed and priced as its target; members that it does not set itself are its target's. */
function assembleAlias(input: ModelInput, target: Model): Model {
  return {
    id: input.id,
    canonicalSlug: input.canonicalSlug ?? input.id,
    name: input.name ?? target.name,
    created: input.created ?? target.created,
    description: input.description ?? target.description,
    contextLength: input.contextLength ?? target.contextLength,
    expirationDate: input.expirationDate ?? target.expirationDate,
    knowledgeCutoff: input.knowledgeCutoff ?? target.knowledgeCutoff,
    hubModelId: input.hubModelId ?? target.hubModelId,
    architecture: input.architecture ?? target.architecture,
    pricing: input.pricing ?? target.pricing,
    supportedParameters: input.supportedParameters ?? target.supportedParameters,
    supportedVoices: input.supportedVoices ?? target.supportedVoices,
    defaultParameters: input.defaultParameters ?? target.defaultParameters,
    perRequestLimits: input.perRequestLimits ?? target.perRequestLimits,
    benchmarks: target.benchmarks,
    reasoning: input.reasoning ?? target.reasoning,
    aliasTarget: target.id,
    endpoints: [],
  };
}
