import { compareText } from '../../base/text.js';
import type { EndpointInput, ModelInput } from '../input/catalog-file.js';
import { isPaidBefore } from '../modes.js';
import { withGeographyPrices } from '../prices/geographies.js';
import { knownNotes } from '../prices/known-notes.js';
import { withModePrices, withPublishedPrices } from '../prices/published.js';
import type { EndpointStatus, Format, Provider } from '../types.js';
import { convertArchitecture } from './architecture.js';
import type { DevCost, DevModel } from './document.js';
import { lookUp } from './look-up.js';
import type { ReadName } from './names.js';
import { convertParameters } from './parameters.js';
import { convertCost, convertMode } from './pricing.js';
import { protocolOf } from './providers.js';
import { convertReasoning } from './reasoning.js';

/** A priced model of the file at its provider, which will become an endpoint. */
export interface OfferedModel {
  readonly name: ReadName;
  readonly provider: Provider;
  readonly model: DevModel;
  readonly cost: DevCost;
  /** null = the defaults. */
  readonly formats: readonly Format[] | null;
}

/** The author's own providers, whose data on a model take precedence over other providers'. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  amazon: ['amazon-bedrock'],
  google: ['google-ai-studio', 'google-vertex'],
  microsoft: ['azure'],
  mistralai: ['mistral'],
  qwen: ['alibaba', 'alibaba-cn'],
  'x-ai': ['xai'],
};

/** Providers that pass requests on to others; their data come last. */
const RESELLERS = ['aihubmix', 'huggingface', 'novita'];

/** Old and untested endpoints are tried last. */
const STATUSES: Readonly<Record<string, EndpointStatus>> = {
  alpha: 'degraded',
  beta: 'active',
  deprecated: 'degraded',
};

/**
 * One model from the data of several providers. Price, limits, parameters and status belong to the endpoints; name,
 * dates and capabilities come from the author's own provider, else from the first one in alphabetical order.
 */
export function convertModel(id: string, offers: readonly [OfferedModel, ...OfferedModel[]]): ModelInput {
  const ranked = rankHosts(id, offers);
  const [reference] = ranked;
  const architecture = convertArchitecture(id, reference.model);
  const isHome = homesOf(id).includes(reference.provider.slug);
  const released = isHome
    ? reference.model.releaseDate
    : earliest(ranked.map((one) => one.model.releaseDate));
  const contextLength = (isHome ? reference.model.contextLength : null) ?? maxContext(ranked);
  const supportedParameters = parametersOf(reference, architecture.outputModalities);
  const endpoints = withProfilesFirst(
    offers.map((one) => convertEndpoint(id, one, architecture.outputModalities)),
  );
  return withGeographyPrices({
    id,
    canonicalSlug: id,
    hubModelId: offers.find((one) => one.provider.slug === 'huggingface')?.model.id ?? null,
    name: plainName(reference.model.name),
    created: Date.parse(`${released}T00:00:00Z`) / 1000,
    description: null,
    contextLength,
    expirationDate: null,
    knowledgeCutoff: ranked.find((one) => one.model.knowledge !== null)?.model.knowledge ?? null,
    architecture,
    pricing: null,
    supportedParameters,
    supportedVoices: null,
    defaultParameters: null,
    perRequestLimits: null,
    benchmarks: null,
    reasoning: convertReasoning(id, reference.model),
    aliasTarget: null,
    endpoints: distinct(endpoints).map((endpoint) => ({
      ...endpoint,
      contextLength: endpoint.contextLength === contextLength ? null : endpoint.contextLength,
      supportedParameters: sameList(endpoint.supportedParameters, supportedParameters)
        ? null
        : endpoint.supportedParameters,
    })),
  });
}

function rankHosts(
  id: string,
  [first, ...others]: readonly [OfferedModel, ...OfferedModel[]],
): [OfferedModel, ...OfferedModel[]] {
  const homes = homesOf(id);
  const rank = ({ provider: { slug } }: OfferedModel): number => {
    if (homes.includes(slug)) return homes.indexOf(slug);
    return RESELLERS.includes(slug) ? homes.length + 1 : homes.length;
  };
  const sorted: [OfferedModel, ...OfferedModel[]] = [first, ...others];
  sorted.sort((a, b) => rank(a) - rank(b));
  return sorted;
}

function homesOf(id: string): readonly string[] {
  const author = id.slice(0, id.indexOf('/'));
  return lookUp(HOMES, author) ?? [author];
}

function earliest(dates: readonly string[]): string {
  return dates.reduce((first, date) => (compareText(date, first) < 0 ? date : first));
}

function maxContext(offers: readonly OfferedModel[]): number | null {
  return offers.reduce((max, one) => Math.max(max, one.model.contextLength ?? 0), 0) || null;
}

function parametersOf(
  { model, provider }: OfferedModel,
  outputModalities: readonly string[],
): readonly string[] {
  return convertParameters(model, protocolOf(model, provider), outputModalities);
}

function convertEndpoint(
  modelId: string,
  one: OfferedModel,
  outputModalities: readonly string[],
): EndpointInput {
  const modes = one.model.modes.filter(({ words }) => !isPaidBefore(words, one.provider.adapter));
  const pricing = withPublishedPrices(modelId, one.provider.slug, convertCost(one.cost));
  const priceModes = withModePrices(modelId, one.provider.slug, modes.map(convertMode), pricing);
  const priceNotes = knownNotes(one.provider.slug, one.model.id);
  return {
    provider: one.provider.slug,
    upstreamModelId: one.model.id,
    region: one.name.region,
    pricing,
    ...(priceModes.length > 0 && { priceModes }),
    ...(priceNotes !== undefined && { priceNotes }),
    contextLength: one.model.contextLength,
    // For embedding models the file has the length of the vector here.
    maxCompletionTokens: outputModalities.includes('embeddings') ? null : one.model.maxOutput,
    isModerated: false,
    quantization: one.name.quantization,
    supportedParameters: parametersOf(one, outputModalities),
    dataPolicy: {},
    status: lookUp(STATUSES, one.model.status ?? '') ?? 'active',
    formats: one.formats,
    quirks: {},
  };
}

/**
 * Models that Amazon Bedrock has inference profiles of mostly refuse calls by their bare id ("on-demand throughput isn't
 * supported"), so that is tried last: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */
function withProfilesFirst(endpoints: readonly EndpointInput[]): EndpointInput[] {
  const isOfBedrock = ({ provider }: EndpointInput) => provider === 'amazon-bedrock';
  const hasProfiles = endpoints.some((one) => isOfBedrock(one) && one.region !== null);
  return endpoints.map((one) =>
    hasProfiles && isOfBedrock(one) && one.region === null ? { ...one, status: 'degraded' } : one,
  );
}

/** Removes endpoints that differ in their name only. */
function distinct(endpoints: readonly EndpointInput[]): EndpointInput[] {
  const seen = new Set<string>();
  return endpoints.filter((endpoint) => {
    const key = JSON.stringify({ ...endpoint, upstreamModelId: '' });
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function plainName(name: string): string {
  return name.replace(/\((?:latest|us|eu|au|jp|apac|global|tee|fp8)\)$/i, '').trimEnd();
}

function sameList(a: readonly string[] | null, b: readonly string[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
