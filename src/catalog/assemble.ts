import { dataPolicyOf } from './policy.js';
import { compareEndpoints } from './price.js';
import { rankArenas } from './ranks.js';
import type { CatalogFile, StatedEndpoint, StatedModel } from './stated.js';
import type { Architecture, Endpoint, Model, Pricing, Provider } from './types.js';

const UNSTATED_ARCHITECTURE: Architecture = {
  modality: null,
  inputModalities: [],
  outputModalities: [],
  instructType: undefined,
  tokenizer: undefined,
};

/**
 * Makes models of what a checked file states: fills in what endpoints inherit, lays policies over each other, names
 * the endpoints, sorts each model's endpoints cheapest first, ranks the arenas, and gives aliases their target's data.
 */
export function assembleModels(file: CatalogFile, providers: ReadonlyMap<string, Provider>): Model[] {
  const ranks = rankArenas(file.models);
  const concrete = new Map<string, Model>();
  for (const stated of file.models) {
    if (stated.aliasTarget !== null) continue;
    concrete.set(stated.id, assembleModel(stated, providers, ranks(stated)));
  }
  return file.models.flatMap((stated) => {
    const model = concrete.get(stated.id);
    if (model !== undefined) return [model];
    const target = concrete.get(stated.aliasTarget ?? '');
    return target === undefined ? [] : [assembleAlias(stated, target)];
  });
}

function assembleModel(
  stated: StatedModel,
  providers: ReadonlyMap<string, Provider>,
  benchmarks: Model['benchmarks'],
): Model {
  return {
    ...stated,
    canonicalSlug: stated.canonicalSlug ?? stated.id,
    name: stated.name ?? stated.id,
    created: stated.created ?? 0,
    architecture: stated.architecture ?? UNSTATED_ARCHITECTURE,
    supportedParameters: stated.supportedParameters ?? [],
    benchmarks,
    endpoints: assembleEndpoints(stated, providers),
  };
}

function assembleEndpoints(model: StatedModel, providers: ReadonlyMap<string, Provider>): Endpoint[] {
  const times = new Map<string, number>();
  const endpoints: Endpoint[] = [];
  for (const stated of model.endpoints) {
    const provider = providers.get(stated.provider);
    const pricing = stated.pricing ?? model.pricing;
    if (provider === undefined || pricing === null) continue;
    const name = endpointName(stated, model.id);
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    endpoints.push(assembleEndpoint(stated, model, pricing, provider, time === 1 ? name : `${name}#${time}`));
  }
  return endpoints.sort(compareEndpoints);
}

function endpointName(endpoint: StatedEndpoint, modelId: string): string {
  const place = endpoint.region === null ? '' : `@${endpoint.region}`;
  return `${endpoint.provider}/${modelId}${place}`;
}

function assembleEndpoint(
  stated: StatedEndpoint,
  model: StatedModel,
  pricing: Pricing,
  provider: Provider,
  id: string,
): Endpoint {
  return {
    ...stated,
    id,
    modelId: model.id,
    pricing,
    contextLength: stated.contextLength ?? model.contextLength,
    supportedParameters: stated.supportedParameters ?? model.supportedParameters ?? [],
    dataPolicy: dataPolicyOf(stated.dataPolicy, provider),
  };
}

/** An alias is routed and priced as its target; it shows what it states of its own and its target's data otherwise. */
function assembleAlias(stated: StatedModel, target: Model): Model {
  return {
    id: stated.id,
    canonicalSlug: stated.canonicalSlug ?? stated.id,
    name: stated.name ?? target.name,
    created: stated.created ?? target.created,
    description: stated.description ?? target.description,
    contextLength: stated.contextLength ?? target.contextLength,
    expirationDate: stated.expirationDate ?? target.expirationDate,
    knowledgeCutoff: stated.knowledgeCutoff ?? target.knowledgeCutoff,
    hubModelId: stated.hubModelId ?? target.hubModelId,
    architecture: stated.architecture ?? target.architecture,
    pricing: stated.pricing ?? target.pricing,
    supportedParameters: stated.supportedParameters ?? target.supportedParameters,
    supportedVoices: stated.supportedVoices ?? target.supportedVoices,
    defaultParameters: stated.defaultParameters ?? target.defaultParameters,
    perRequestLimits: stated.perRequestLimits ?? target.perRequestLimits,
    benchmarks: target.benchmarks,
    reasoning: stated.reasoning ?? target.reasoning,
    aliasTarget: target.id,
    endpoints: [],
  };
}
