/**
 * What the catalogue is after an import: `docs/catalog.md#what-is-yours`, `docs/adr/0039-lists-own-no-configuration.md`.
 */
import type { CatalogFile, EndpointInput, ModelInput } from '../input/catalog-file.js';
import { CatalogViolations } from '../input/violation-list.js';
import {
  type NativeEntry,
  type NativeFile,
  readNativeModel,
  readNativeProvider,
  writeModel,
  writeProvider,
} from '../native/native.js';
import type { Provider } from '../types.js';
import type { BadEntries } from './bad-entries.js';
import { type EntryChange, modelChanges, providerChanges } from './changes.js';

export interface IncomingFile {
  readonly file: NativeFile;
  /** The entries of a third party's list that can't be taken; null for a native file. */
  readonly bad: BadEntries | null;
  readonly merge: boolean;
}

export interface Resolved {
  /** The file's entries as they are taken, in its order. */
  readonly taken: CatalogFile;
  /** What stays beside them. */
  readonly rest: CatalogFile;
  readonly next: CatalogFile;
  /** What the file says otherwise, and the operator's word stands against. */
  readonly kept: readonly EntryChange[];
}

export function resolveImport(live: CatalogFile, incoming: IncomingFile): Resolved {
  const kept: EntryChange[] = [];
  const own = new Set(live.own);
  const providers = takeProviders(live, incoming, own, kept);
  const models = takeModels(live, incoming, own, kept);
  const taken = { providers, models };
  const rest = incoming.merge ? withoutNames(live, taken) : restOf(live, taken, own, incoming.bad);
  const next = {
    providers: [...rest.providers, ...providers],
    models: joined([...rest.models, ...models]),
  };
  const names = new Set([...next.providers.map(({ slug }) => slug), ...next.models.map(({ id }) => id)]);
  const left = [...own].filter((name) => names.has(name));
  return { taken, rest, next: left.length === 0 ? next : { ...next, own: new Set(left) }, kept };
}

/** Whether an entry becomes the operator's, where it is not yet. */
function isClaimed({ origin }: NativeEntry<unknown>, { bad, merge }: IncomingFile): boolean {
  return bad === null && (origin === 'operator' || (origin === null && merge));
}

function takeProviders(
  live: CatalogFile,
  incoming: IncomingFile,
  own: Set<string>,
  kept: EntryChange[],
): Provider[] {
  const stored = new Map(live.providers.map((provider) => [provider.slug, provider]));
  return incoming.file.providers.map((entry) => {
    const { slug } = entry.value;
    const old = stored.get(slug);
    const isOwn = old !== undefined && own.has(slug);
    const isKept = old !== undefined && (incoming.bad !== null || (isOwn && entry.origin === 'package'));
    if (isKept) {
      kept.push(...providerChanges(old, saidOver(old, entry)));
      return old;
    }
    if (isClaimed(entry, incoming)) own.add(slug);
    return isOwn ? saidOver(old, entry) : entry.value;
  });
}

function saidOver(old: Provider, { said }: NativeEntry<Provider>): Provider {
  const document = { ...writeProvider(old), ...said };
  return readNativeProvider(old.slug, document, new CatalogViolations());
}

function takeModels(
  live: CatalogFile,
  incoming: IncomingFile,
  own: Set<string>,
  kept: EntryChange[],
): ModelInput[] {
  const stored = new Map(live.models.map((model) => [model.id, model]));
  const listed = new Set(incoming.file.providers.map(({ value }) => value.slug));
  const staying = new Set(
    live.providers.flatMap(({ slug }) => (incoming.merge || own.has(slug) ? [slug] : [])),
  );
  return incoming.file.models.map((entry) => {
    const { id } = entry.value;
    const old = stored.get(id);
    if (old !== undefined && own.has(id)) {
      if (entry.origin !== 'package') return saidOfModel(old, entry);
      kept.push(...modelChanges(old, saidOfModel(old, entry)));
      return old;
    }
    if (isClaimed(entry, incoming)) own.add(id);
    if (old === undefined || incoming.bad === null) return entry.value;
    return withConfiguration(
      entry.value,
      old,
      ({ provider }) => staying.has(provider) && !listed.has(provider),
    );
  });
}

/** An alias becomes a model, or the reverse, only as a whole. */
function saidOfModel(old: ModelInput, { said, value }: NativeEntry<ModelInput>): ModelInput {
  if ((old.aliasTarget === null) !== (value.aliasTarget === null)) return value;
  return readNativeModel(old.id, { ...writeModel(old), ...said }, new CatalogViolations());
}

/**
 * A list's model, with what lists don't have from the stored one: what is known of the model beside them, how its
 * endpoints are called and judged, those that are disabled, and `others`, those that stand at hosts that the list does
 * not know.
 */
function withConfiguration(
  listed: ModelInput,
  stored: ModelInput,
  isOther: (endpoint: EndpointInput) => boolean,
): ModelInput {
  if (listed.aliasTarget !== null || stored.aliasTarget !== null) return listed;
  const before = new Map(stored.endpoints.map((endpoint) => [hostingOf(endpoint), endpoint]));
  const endpoints = listed.endpoints.map((endpoint) => {
    const old = before.get(hostingOf(endpoint));
    return old === undefined ? endpoint : configuredAs(endpoint, old);
  });
  return {
    ...listed,
    description: listed.description ?? stored.description,
    expirationDate: listed.expirationDate ?? stored.expirationDate,
    hubModelId: listed.hubModelId ?? stored.hubModelId,
    supportedVoices: listed.supportedVoices ?? stored.supportedVoices,
    defaultParameters: listed.defaultParameters ?? stored.defaultParameters,
    perRequestLimits: listed.perRequestLimits ?? stored.perRequestLimits,
    benchmarks: listed.benchmarks ?? stored.benchmarks,
    endpoints: [...endpoints, ...stored.endpoints.filter(isOther).map((one) => withPrice(one, stored))],
  };
}

function hostingOf({ provider, upstreamModelId, region }: EndpointInput): string {
  return JSON.stringify([provider, upstreamModelId, region]);
}

function configuredAs(listed: EndpointInput, stored: EndpointInput): EndpointInput {
  const priceModes = listed.priceModes ?? stored.priceModes;
  return {
    ...listed,
    ...(priceModes !== undefined && { priceModes }),
    ...(stored.priceNotes !== undefined && { priceNotes: { ...listed.priceNotes, ...stored.priceNotes } }),
    isModerated: listed.isModerated || stored.isModerated,
    dataPolicy: stored.dataPolicy,
    quirks: stored.quirks,
    status: stored.status === 'disabled' ? 'disabled' : listed.status,
    formats: listed.formats ?? stored.formats,
  };
}

/** An endpoint that leaves its model takes the model's price along. */
function withPrice(endpoint: EndpointInput, { pricing }: ModelInput): EndpointInput {
  return endpoint.isUnpriced ? endpoint : { ...endpoint, pricing: endpoint.pricing ?? pricing };
}

function withoutNames(live: CatalogFile, taken: CatalogFile): CatalogFile {
  const slugs = new Set(taken.providers.map(({ slug }) => slug));
  const ids = new Set(taken.models.map(({ id }) => id));
  return {
    providers: live.providers.filter(({ slug }) => !slugs.has(slug)),
    models: live.models.filter(({ id }) => !ids.has(id)),
  };
}

/**
 * What stays beside a whole file: the operator's own entries with what they need, and entries of the list that can't
 * be taken, as they were.
 */
function restOf(
  live: CatalogFile,
  taken: CatalogFile,
  own: ReadonlySet<string>,
  bad: BadEntries | null,
): CatalogFile {
  const others = withoutNames(live, taken);
  const targets = new Set(
    others.models.flatMap(({ id, aliasTarget }) => (own.has(id) ? (aliasTarget ?? []) : [])),
  );
  const whole = others.models.filter(({ id }) => own.has(id) || targets.has(id));
  const unread = bad === null ? [] : unreadModels(live, taken, own, bad);
  const models = joined([...whole, ...unread]);
  const needed = new Set(models.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider)));
  const providers = others.providers.filter(({ slug }) => own.has(slug) || needed.has(slug));
  return { providers, models };
}

/** The stored models with those endpoints alone that the list has and that can't be taken. */
function unreadModels(
  live: CatalogFile,
  taken: CatalogFile,
  own: ReadonlySet<string>,
  bad: BadEntries,
): ModelInput[] {
  const known = new Set(taken.models.flatMap(({ endpoints }) => endpoints.map(hostingOf)));
  return live.models.flatMap((model) => {
    if (own.has(model.id)) return [];
    const endpoints = model.endpoints.filter(
      (one) => bad.has(one.provider, one.upstreamModelId) && !known.has(hostingOf(one)),
    );
    return endpoints.length === 0
      ? []
      : [{ ...model, endpoints: endpoints.map((one) => withPrice(one, model)) }];
  });
}

/** One model for each id. Where there are several, the last one is taken, with the endpoints of the others. */
function joined(models: readonly ModelInput[]): ModelInput[] {
  const byId = new Map<string, ModelInput>();
  for (const model of models) {
    const before = byId.get(model.id);
    const known = new Set(model.endpoints.map(hostingOf));
    const more = before?.endpoints.filter((one) => !known.has(hostingOf(one))) ?? [];
    byId.set(model.id, more.length === 0 ? model : { ...model, endpoints: [...model.endpoints, ...more] });
  }
  return [...byId.values()];
}
