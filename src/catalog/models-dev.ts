import { compareText } from '../base/compare-text.js';
import type { CatalogFile, ModelInput } from './input/catalog-file.js';
import { JsonReader } from './input/json-reader.js';
import type { ViolationList } from './input/violation-list.js';
import { ALIASES } from './models-dev/aliases.js';
import { convertArchitecture } from './models-dev/architecture.js';
import { type DevModel, type DevProvider, readDevProvider } from './models-dev/document.js';
import { convertFormats } from './models-dev/formats.js';
import { type Candidate, convertModel } from './models-dev/model.js';
import { readName } from './models-dev/names.js';
import { convertProvider, isCallable } from './models-dev/providers.js';
import type { Provider } from './types.js';

/**
 * How many endpoints of the file were not imported, and why: `no_price` (unknown, which is not free), `no_adapter` (no
 * adapter for the provider's protocol, or no known URL), `other_protocol` (the model needs another protocol than its
 * provider), `no_format` (it makes only images, speech or transcripts, or completes text), `duplicate` (the provider offers the same endpoint under another name).
 */
export type SkippedEndpoints = Readonly<Partial<Record<SkipReason, number>>>;
type SkipReason = 'no_price' | 'no_adapter' | 'other_protocol' | 'no_format' | 'duplicate';

/** Whether the document is a models.dev file, `api.json` or `catalog.json`, rather than a native one. */
export function isModelsDev(document: unknown): boolean {
  if (!isObject(document)) return false;
  if ('providers' in document && 'models' in document) {
    return isObject(document.providers) && isObject(document.models);
  }
  return Object.values(document).some((one) => isObject(one) && 'npm' in one);
}

/**
 * Reads a models.dev document and collects violations. Endpoints of one model are joined across providers; models without
 * endpoints are left out. Of `catalog.json` only `providers` is read, so that both files give the same catalogue.
 */
export function readModelsDev(
  document: unknown,
  violations: ViolationList,
): { file: CatalogFile; skipped: SkippedEndpoints } {
  const root = new JsonReader(document, '', violations);
  const hasMetadata = isObject(document) && 'providers' in document;
  const providers = (hasMetadata ? root.openObject()('providers') : root).entries();
  return convert(providers.map(([, provider]) => readDevProvider(provider)));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function convert(devProviders: readonly DevProvider[]): { file: CatalogFile; skipped: SkippedEndpoints } {
  const providers = new Map<string, Provider>();
  const groups = new Map<string, [Candidate, ...Candidate[]]>();
  const skipped: Partial<Record<SkipReason, number>> = {};
  const skip = (reason: SkipReason, count = 1) => {
    if (count > 0) skipped[reason] = (skipped[reason] ?? 0) + count;
  };
  for (const dev of devProviders) {
    const converted = convertProvider(dev);
    if (converted === undefined) {
      skip('no_adapter', dev.models.length);
      continue;
    }
    const provider = providers.get(converted.slug) ?? converted;
    providers.set(provider.slug, provider);
    for (const model of dev.models) {
      const candidate = toCandidate(dev.id, provider, model);
      if (typeof candidate === 'string') skip(candidate);
      else addTo(groups, candidate);
    }
  }
  const models = [...groups].map(([id, candidates]) => convertModel(id, sortHosts(candidates)));
  const taken = models.reduce((count, model) => count + model.endpoints.length, 0);
  skip('duplicate', [...groups.values()].reduce((count, group) => count + group.length, 0) - taken);
  return { file: assemble(providers, models), skipped };
}

function toCandidate(devId: string, provider: Provider, model: DevModel): Candidate | SkipReason {
  if (model.cost === null) return 'no_price';
  if (!isCallable(model, provider)) return 'other_protocol';
  const name = readName(devId, model.id);
  const { outputModalities } = convertArchitecture(name.id, model);
  const formats = convertFormats(name.id, provider.slug, outputModalities);
  return formats === undefined ? 'no_format' : { name, provider, model, cost: model.cost, formats };
}

function addTo(groups: Map<string, [Candidate, ...Candidate[]]>, candidate: Candidate): void {
  const group = groups.get(candidate.name.id);
  if (group === undefined) groups.set(candidate.name.id, [candidate]);
  else group.push(candidate);
}

function sortHosts(candidates: [Candidate, ...Candidate[]]): [Candidate, ...Candidate[]] {
  return candidates.sort(
    (a, b) =>
      compareText(a.provider.slug, b.provider.slug) ||
      compareText(a.name.region ?? '', b.name.region ?? '') ||
      compareText(a.model.id, b.model.id),
  );
}

/** Leaves out providers without endpoints and aliases without targets. */
function assemble(providers: ReadonlyMap<string, Provider>, models: readonly ModelInput[]): CatalogFile {
  const used = new Set(models.flatMap((model) => model.endpoints.map((endpoint) => endpoint.provider)));
  const ids = new Set(models.map((model) => model.id));
  const aliases = ALIASES.filter(({ target }) => ids.has(target)).map(toAlias);
  return {
    providers: [...providers.values()]
      .filter((provider) => used.has(provider.slug))
      .sort((a, b) => compareText(a.slug, b.slug)),
    models: [...models, ...aliases].sort((a, b) => compareText(a.id, b.id)),
  };
}

function toAlias({ id, name, target }: (typeof ALIASES)[number]): ModelInput {
  return {
    id,
    canonicalSlug: null,
    hubModelId: null,
    name,
    created: null,
    description: null,
    contextLength: null,
    expirationDate: null,
    knowledgeCutoff: null,
    architecture: null,
    pricing: null,
    supportedParameters: null,
    supportedVoices: null,
    defaultParameters: null,
    perRequestLimits: null,
    benchmarks: null,
    reasoning: null,
    aliasTarget: target,
    endpoints: [],
  };
}
