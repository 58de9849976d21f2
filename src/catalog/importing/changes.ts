/** What an import changes of entries that exist, member by member. */
import { isObject } from '../../base/json/json-value.js';
import type { CatalogFile, EndpointInput, ModelInput } from '../input/catalog-file.js';
import { SECRET } from '../input/catalog-file.js';
import { type NativeObject, writeModel, writeProvider } from '../native/native.js';
import type { Provider } from '../types.js';

/** Members of an entry, in the words of the native file. */
export interface EntryChange {
  readonly entry: 'provider' | 'model' | 'endpoint';
  /** A slug, an id, or `MODEL at PROVIDER (UPSTREAM ID)`. */
  readonly name: string;
  readonly members: readonly MemberChange[];
}

export interface MemberChange {
  /** Members of an object are named one by one: `pricing.prompt`. */
  readonly member: string;
  /** null = not given. */
  readonly from: unknown;
  readonly to: unknown;
}

/** A value of a header that is not stored yet. */
const NEW_SECRET = '(new secret)';

/**
 * Every member that differs between the two, for each provider, model and endpoint that both have. No value of a
 * header is among them.
 */
export function changesBetween(before: CatalogFile, after: CatalogFile): EntryChange[] {
  const providers = new Map(before.providers.map((provider) => [provider.slug, provider]));
  const models = new Map(before.models.map((model) => [model.id, model]));
  return [
    ...after.providers.flatMap((provider) => {
      const old = providers.get(provider.slug);
      return old === undefined ? [] : providerChanges(old, provider);
    }),
    ...after.models.flatMap((model) => {
      const old = models.get(model.id);
      return old === undefined ? [] : modelChanges(old, model);
    }),
  ];
}

export function providerChanges(before: Provider, after: Provider): EntryChange[] {
  return changeOf('provider', before.slug, shownProvider(before), shownProvider(after));
}

export function modelChanges(before: ModelInput, after: ModelInput): EntryChange[] {
  if (before === after) return [];
  const [old, next] = [before, after].map((model) => withoutEndpoints(writeModel(model)));
  const others = new Map(endpointsOf(after));
  const kept = endpointsOf(before).flatMap(([name, endpoint]) => {
    const other = others.get(name);
    return other === undefined ? [] : changeOf('endpoint', name, endpoint, other);
  });
  const moved = listChange(before.endpoints, after.endpoints);
  const [own = { entry: 'model' as const, name: before.id, members: [] }] = changeOf(
    'model',
    before.id,
    old ?? {},
    next ?? {},
  );
  const members = [...own.members, ...moved];
  return members.length === 0 ? kept : [{ ...own, members }, ...kept];
}

function changeOf(
  entry: EntryChange['entry'],
  name: string,
  before: NativeObject,
  after: NativeObject,
): EntryChange[] {
  const members = memberChanges(before, after, '');
  return members.length === 0 ? [] : [{ entry, name, members }];
}

function memberChanges(before: NativeObject, after: NativeObject, path: string): MemberChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const [from = null, to = null] = [before[name], after[name]];
    if (JSON.stringify(from) === JSON.stringify(to)) return [];
    if (isObject(from) && isObject(to)) return memberChanges(from, to, `${path}${name}.`);
    return [{ member: `${path}${name}`, from, to }];
  });
}

function shownProvider(provider: Provider): NativeObject {
  const written = writeProvider(provider);
  if (provider.headers === undefined) return written;
  const shown = Object.entries(provider.headers).map(([name, value]) => [
    name,
    value === SECRET ? SECRET : NEW_SECRET,
  ]);
  return { ...written, headers: Object.fromEntries(shown) };
}

function withoutEndpoints({ endpoints: _endpoints, ...rest }: NativeObject): NativeObject {
  return rest;
}

/** Endpoints of one name are numbered. */
function endpointsOf(model: ModelInput): [name: string, endpoint: NativeObject][] {
  const counts = new Map<string, number>();
  return model.endpoints.map((endpoint) => {
    const name = `${model.id} at ${hostingOf(endpoint)}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const { endpoints } = writeModel({ ...model, endpoints: [endpoint] });
    const [written] = Array.isArray(endpoints) ? endpoints : [];
    return [count === 1 ? name : `${name}#${count}`, isObject(written) ? written : {}];
  });
}

function hostingOf({ provider, upstreamModelId, region }: EndpointInput): string {
  return `${provider} (${upstreamModelId}${region === null ? '' : ` in ${region}`})`;
}

function listChange(before: readonly EndpointInput[], after: readonly EndpointInput[]): MemberChange[] {
  const [from, to] = [before, after].map((list) => list.map(hostingOf).toSorted());
  return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ member: 'endpoints', from, to }];
}
