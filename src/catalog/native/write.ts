import type { BenchmarksInput, EndpointInput, ModelInput } from '../input/catalog-file.js';
import type { Quirks } from '../quirks.js';
import type {
  Architecture,
  DataPolicy,
  DefaultParameters,
  PriceMode,
  Pricing,
  Provider,
  ReasoningSupport,
} from '../types.js';
import { writeContract } from './contract-members.js';

/** A JSON object of the native file; members that are not given are left out. */
export type NativeObject = Record<string, unknown>;

export function writeProvider(provider: Provider): NativeObject {
  return withoutNulls({
    slug: provider.slug,
    name: provider.name,
    adapter: provider.adapter,
    base_url: provider.baseUrl,
    storage_base_url: provider.storageBaseUrl,
    regions: nonEmpty(provider.regions),
    data_policy: writeDataPolicy(provider.dataPolicy),
    quirks: writeQuirks(provider.quirks),
    headers: provider.headers ?? null,
    credential: provider.credential ?? null,
    price_modes: provider.priceModes?.map(writePriceMode) ?? null,
    headquarters: provider.headquarters,
    datacenters: nonEmpty(provider.datacenters),
    privacy_policy_url: provider.privacyPolicyUrl,
    terms_of_service_url: provider.termsOfServiceUrl,
    status_page_url: provider.statusPageUrl,
  });
}

export function writeModel(model: ModelInput): NativeObject {
  return withoutNulls({
    id: model.id,
    canonical_slug: model.canonicalSlug,
    hub_model_id: model.hubModelId,
    name: model.name,
    created: model.created,
    description: model.description,
    context_length: model.contextLength,
    expiration_date: model.expirationDate,
    knowledge_cutoff: model.knowledgeCutoff,
    architecture: model.architecture && writeArchitecture(model.architecture),
    pricing: model.pricing && writePricing(model.pricing),
    supported_parameters: model.supportedParameters,
    supported_voices: model.supportedVoices,
    default_parameters: model.defaultParameters && writeDefaultParameters(model.defaultParameters),
    per_request_limits: model.perRequestLimits && {
      prompt_tokens: model.perRequestLimits.promptTokens,
      completion_tokens: model.perRequestLimits.completionTokens,
    },
    benchmarks: model.benchmarks && writeBenchmarks(model.benchmarks),
    reasoning: model.reasoning && writeReasoning(model.reasoning),
    alias_target: model.aliasTarget === null ? null : { slug: model.aliasTarget },
    endpoints: model.aliasTarget === null ? model.endpoints.map(writeEndpoint) : null,
  });
}

function writeEndpoint(endpoint: EndpointInput): NativeObject {
  return withoutNulls({
    provider: endpoint.provider,
    upstream_model_id: endpoint.upstreamModelId,
    region: endpoint.region,
    pricing: endpoint.pricing && writePricing(endpoint.pricing),
    price_modes: endpoint.priceModes?.map(writePriceMode) ?? null,
    price_notes: endpoint.priceNotes ?? null,
    unpriced: endpoint.isUnpriced ?? null,
    context_length: endpoint.contextLength,
    max_completion_tokens: endpoint.maxCompletionTokens,
    is_moderated: endpoint.isModerated ? true : null,
    quantization: endpoint.quantization,
    supported_parameters: endpoint.supportedParameters,
    data_policy: writeDataPolicy(endpoint.dataPolicy),
    status: endpoint.status === 'active' ? null : endpoint.status,
    formats: endpoint.formats,
    quirks: writeQuirks(endpoint.quirks),
  });
}

function writePricing(pricing: Pricing): NativeObject {
  const overrides = pricing.overrides.map((override) =>
    withoutNulls({
      min_prompt_tokens: override.minPromptTokens,
      utc_start: override.utcStart,
      utc_end: override.utcEnd,
      utc_days: override.utcDays,
      ...override.prices,
    }),
  );
  const { prompt, completion, ...others } = pricing.prices;
  return withoutNulls({
    prompt,
    completion,
    ...others,
    discount: pricing.discount,
    overrides: nonEmpty(overrides),
  });
}

function writePriceMode({ words, isBatch, minPromptTokens, multiplier, prices }: PriceMode): NativeObject {
  return withoutNulls({
    ...words,
    batch: isBatch ? true : null,
    min_prompt_tokens: minPromptTokens,
    multiplier,
    ...prices,
  });
}

function writeArchitecture(architecture: Architecture): NativeObject {
  return {
    modality: architecture.modality,
    input_modalities: architecture.inputModalities,
    output_modalities: architecture.outputModalities,
    ...(architecture.instructType === undefined ? {} : { instruct_type: architecture.instructType }),
    ...(architecture.tokenizer === undefined ? {} : { tokenizer: architecture.tokenizer }),
  };
}

function writeReasoning(reasoning: ReasoningSupport): NativeObject {
  return {
    mandatory: reasoning.mandatory,
    ...(reasoning.defaultEffort === undefined ? {} : { default_effort: reasoning.defaultEffort }),
    ...(reasoning.defaultEnabled === undefined ? {} : { default_enabled: reasoning.defaultEnabled }),
    ...(reasoning.supportedEfforts === undefined ? {} : { supported_efforts: reasoning.supportedEfforts }),
    ...(reasoning.supportsMaxTokens ? { supports_max_tokens: true } : {}),
  };
}

function writeDefaultParameters(parameters: DefaultParameters): NativeObject {
  return withoutNulls({
    temperature: parameters.temperature,
    top_p: parameters.topP,
    top_k: parameters.topK,
    frequency_penalty: parameters.frequencyPenalty,
    presence_penalty: parameters.presencePenalty,
    repetition_penalty: parameters.repetitionPenalty,
  });
}

function writeBenchmarks(benchmarks: BenchmarksInput): NativeObject {
  const index = benchmarks.analysisIndex;
  return withoutNulls({
    arena_rankings: benchmarks.arenaRankings.map(({ arena, category, elo, winRate }) => ({
      arena,
      category,
      elo,
      win_rate: winRate,
    })),
    analysis_index: index && {
      intelligence_index: index.intelligenceIndex,
      coding_index: index.codingIndex,
      agentic_index: index.agenticIndex,
    },
  });
}

function writeDataPolicy({ zdr, dataCollection }: Partial<DataPolicy>): NativeObject | null {
  if (zdr === undefined && dataCollection === undefined) return null;
  return withoutNulls({ zdr: zdr ?? null, data_collection: dataCollection ?? null });
}

function writeQuirks(quirks: Quirks): NativeObject | null {
  const { maxTokensMember, developerRole, reasoningOn, reasoningOff, reasoningMember, ...rest } = quirks;
  const { streamOptions, members, schemaWithout, cacheControl, contract, usage, ...others } = rest;
  const { cachedTokens, finishReasons, maxInputs, apiVersion } = others;
  const written = {
    max_tokens_member: maxTokensMember,
    developer_role: developerRole,
    reasoning_on: reasoningOn,
    reasoning_off: reasoningOff,
    reasoning_member: reasoningMember,
    stream_options: streamOptions,
    members,
    schema_without: schemaWithout,
    cache_control: cacheControl,
    contract: contract && writeContract(contract),
    usage,
    cached_tokens: cachedTokens,
    finish_reasons: finishReasons,
    max_inputs: maxInputs,
    api_version: apiVersion,
  };
  // Nulls of quirks mean something.
  const given = Object.entries(written).filter(([, value]) => value !== undefined);
  return given.length === 0 ? null : Object.fromEntries(given);
}

function nonEmpty<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list;
}

function withoutNulls(members: NativeObject): NativeObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
