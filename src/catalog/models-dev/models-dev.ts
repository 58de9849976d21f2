import { isObject } from '../../base/json/json-value.js';
import { compareText } from '../../base/text.js';
import type { CatalogFile, ModelInput } from '../input/catalog-file.js';
import { JsonReader } from '../input/json-reader.js';
import { CatalogViolations } from '../input/violation-list.js';
import { readModel } from '../native/read-model.js';
import { readProvider } from '../native/read-provider.js';
import { writeModel, writeProvider } from '../native/write.js';
import type { Provider } from '../types.js';
import { ALIASES } from './aliases.js';
import { convertArchitecture } from './architecture.js';
import { type DevModel, readDevModel, readDevProvider } from './document.js';
import { convertFormats } from './formats.js';
import { convertModel, type OfferedModel } from './model.js';
import { readName } from './names.js';
import { convertProvider, isCallable, providerSlug } from './providers.js';

/**
 * How many endpoints of the file were not imported, and why: `no_price` (unknown, which is not free), `no_adapter` (no
 * adapter for the provider's protocol, or no known URL), `other_protocol` (the model needs another protocol than its
 * provider), `no_format` (it makes only images, speech or transcripts, completes text, or makes embeddings at Azure and is not OpenAI's), `duplicate` (the provider offers the same endpoint under another name).
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

export interface ListContent {
  readonly file: CatalogFile;
  readonly skipped: SkippedEndpoints;
}

/**
 * Reads a models.dev document. Endpoints of one model are joined across providers; models without endpoints are left out.
 * Only the `providers` of `catalog.json` are read, so that both files give the same catalogue. Entries that can't be taken
 * are left out too, and passed to `onBad`; what is returned can be stored.
 */
export function readModelsDev(document: unknown, onBad: OnBadEntry): ListContent {
  const root = new JsonReader(document, '', new CatalogViolations());
  const hasMetadata = isObject(document) && 'providers' in document;
  const providers = (hasMetadata ? root.openObject()('providers') : root).entries();
  return convert(readOffers(providers, onBad));
}

/** Gets the slug of a bad provider, with the provider's own id of the model if only that is bad, and all of its violations. */
export type OnBadEntry = (provider: string, model: string | null, violations: CatalogViolations) => void;

/** A provider of the list with its models; without an adapter it is only counted. */
interface Offer {
  readonly devId: string;
  readonly provider: Provider | undefined;
  readonly models: readonly DevModel[];
  readonly onBad: (model: string, violations: CatalogViolations) => void;
  /** The paths of models, for violations that only their conversion shows. */
  readonly paths: ReadonlyMap<DevModel, JsonReader>;
}

function readOffers(providers: readonly [string, JsonReader][], onBad: OnBadEntry): Offer[] {
  const ids = new Set<string>();
  return providers.flatMap(([key, unbound]) => {
    const violations = new CatalogViolations();
    const at = unbound.collecting(violations);
    const dev = readDevProvider(at);
    if (ids.has(dev.id)) at.violation('duplicate', `has the id "${dev.id.slice(0, MAX_SHOWN)}" of another`);
    const entries = at.openObject()('models').entries();
    const provider = violations.isEmpty ? convertProvider(dev) : undefined;
    if (provider !== undefined) readProvider(at.with(writeProvider(provider)));
    if (!violations.isEmpty) {
      onBad(providerSlug(key), null, violations);
      return [];
    }
    ids.add(dev.id);
    const slug = provider?.slug ?? providerSlug(dev.id);
    return [{ devId: dev.id, provider, ...readModels(entries, (...bad) => onBad(slug, ...bad)) }];
  });
}

const MAX_SHOWN = 64;

function readModels(entries: readonly [string, JsonReader][], onBad: Offer['onBad']) {
  const models: DevModel[] = [];
  const paths = new Map<DevModel, JsonReader>();
  const ids = new Set<string>();
  for (const [key, unbound] of entries) {
    const violations = new CatalogViolations();
    const at = unbound.collecting(violations);
    const model = readDevModel(at);
    if (ids.has(model.id))
      at.violation('duplicate', `has the id "${model.id.slice(0, MAX_SHOWN)}" of another`);
    if (violations.isEmpty) {
      ids.add(model.id);
      models.push(model);
      paths.set(model, unbound);
    } else onBad(ids.has(model.id) ? key : model.id || key, violations);
  }
  return { models, paths, onBad };
}

function convert(offers: readonly Offer[]): ListContent {
  const providers = new Map<string, Provider>();
  const groups = new Map<string, [OfferedModel, ...OfferedModel[]]>();
  const skipped: Partial<Record<SkipReason, number>> = {};
  const skip = (reason: SkipReason, count = 1) => {
    if (count > 0) skipped[reason] = (skipped[reason] ?? 0) + count;
  };
  for (const offer of offers) {
    if (offer.provider === undefined) {
      skip('no_adapter', offer.models.length);
      continue;
    }
    const provider = providers.get(offer.provider.slug) ?? offer.provider;
    providers.set(provider.slug, provider);
    for (const model of offer.models) {
      const offered = toOfferedModel(offer.devId, provider, model);
      if (typeof offered === 'string') skip(offered);
      else if (isStorable(offered, offer)) addTo(groups, offered);
    }
  }
  const models = [...groups].map(([id, hosts]) => convertModel(id, sortHosts(hosts)));
  const taken = models.reduce((count, model) => count + model.endpoints.length, 0);
  skip('duplicate', [...groups.values()].reduce((count, group) => count + group.length, 0) - taken);
  return { file: assemble(providers, models), skipped };
}

/** Whether what the entry becomes keeps the rules of the native file, by which it is stored; if not, it is bad. */
function isStorable(offered: OfferedModel, { paths, onBad }: Offer): boolean {
  const violations = new CatalogViolations();
  const model = convertModel(offered.name.id, [offered]);
  const at = paths.get(offered.model)?.collecting(violations);
  if (at !== undefined) readModel(at.with(writeModel(model)));
  if (violations.isEmpty) return true;
  onBad(offered.model.id, violations);
  return false;
}

function toOfferedModel(devId: string, provider: Provider, model: DevModel): OfferedModel | SkipReason {
  if (model.cost === null) return 'no_price';
  if (!isCallable(model, provider)) return 'other_protocol';
  const name = readName(devId, model.id);
  const { outputModalities } = convertArchitecture(name.id, model);
  const formats = convertFormats(name.id, provider.slug, outputModalities);
  return formats === undefined ? 'no_format' : { name, provider, model, cost: model.cost, formats };
}

function addTo(groups: Map<string, [OfferedModel, ...OfferedModel[]]>, offered: OfferedModel): void {
  const group = groups.get(offered.name.id);
  if (group === undefined) groups.set(offered.name.id, [offered]);
  else group.push(offered);
}

function sortHosts(hosts: [OfferedModel, ...OfferedModel[]]): [OfferedModel, ...OfferedModel[]] {
  return hosts.sort(
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
