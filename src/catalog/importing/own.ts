/** Providers that the operator adds and removes without a file: `docs/catalog.md#your-own-provider`. */
import { Problem } from '../../base/problem.js';
import { checkCatalog } from '../assembled/check.js';
import type { CatalogStore, SealHeader } from '../assembled/store.js';
import type { CatalogFile, ModelInput } from '../input/catalog-file.js';
import { CatalogViolations } from '../input/violation-list.js';
import { type NativeObject, readNative } from '../native/native.js';
import { resolveImport } from './resolve.js';

/** Documents of the native format. */
export interface OwnProvider {
  readonly provider: NativeObject & { readonly slug: string };
  /** All models of the provider, with endpoints there alone. */
  readonly models: readonly NativeObject[];
}

/**
 * Adds a provider of the operator's own, or changes it: members that are not given stay, and its models that are not
 * given any more are retired. Returns their ids. Throws `invalid_request` with every violation, and `already_exists` where
 * the provider or a model of that name is not the operator's own.
 */
export async function putOwnProvider(
  store: CatalogStore,
  { provider, models }: OwnProvider,
  sealHeader: SealHeader,
): Promise<readonly string[]> {
  const violations = new CatalogViolations();
  const file = readNative({ providers: [provider], models }, violations);
  violations.throwIfAny();
  let retired: readonly string[] = [];
  await store.replace((live) => {
    throwUnlessOwn(
      live,
      provider.slug,
      file.models.map(({ value }) => value),
    );
    const given = new Set(file.models.map(({ value }) => value.id));
    retired = live.models
      .filter((model) => isOnlyAt(model, provider.slug) && !given.has(model.id))
      .map(({ id }) => id);
    const gone = new Set(retired);
    const base = { ...live, models: withoutModels(live.models, gone) };
    const { taken, rest, next } = resolveImport(base, { file, bad: null, merge: true });
    checkCatalog(taken, rest, violations);
    violations.throwIfAny();
    return next;
  }, sealHeader);
  return retired;
}

/**
 * Removes a provider of the operator's own with its endpoints, models that had no others and their aliases. Returns the ids
 * of the models that are gone. Throws `not_found` where there is no such provider, `in_use` where it is not their own.
 */
export async function removeOwnProvider(store: CatalogStore, slug: string): Promise<readonly string[]> {
  let retired: readonly string[] = [];
  await store.replace((live) => {
    if (!live.providers.some((one) => one.slug === slug))
      throw new Problem('not_found', `there is no provider ${slug}`);
    if (!live.own?.has(slug)) {
      const message = `${slug} is a provider of the catalogue, not one of your own: import a file without it`;
      throw new Problem('in_use', message);
    }
    const gone = new Set(live.models.filter((model) => isOnlyAt(model, slug)).map(({ id }) => id));
    const models = withoutModels(live.models, gone);
    const left = new Set(models.map(({ id }) => id));
    retired = live.models.map(({ id }) => id).filter((id) => !left.has(id));
    return {
      ...live,
      providers: live.providers.filter((one) => one.slug !== slug),
      models: models.map((model) => ({
        ...model,
        endpoints: model.endpoints.filter(({ provider }) => provider !== slug),
      })),
    };
  });
  return retired;
}

/** Whether all of its endpoints are there. */
function isOnlyAt({ endpoints }: ModelInput, slug: string): boolean {
  return endpoints.length > 0 && endpoints.every(({ provider }) => provider === slug);
}

/** Without aliases of them either. */
function withoutModels(models: readonly ModelInput[], gone: ReadonlySet<string>): readonly ModelInput[] {
  return models.filter(({ id, aliasTarget }) => !gone.has(id) && !gone.has(aliasTarget ?? ''));
}

/** Throws `already_exists` where the provider is not the operator's own. */
export function throwUnlessAddable(live: CatalogFile, slug: string): void {
  if (!live.providers.some((one) => one.slug === slug) || live.own?.has(slug)) return;
  const advice = `store a key with "byway provider set-key ${slug}", or choose another slug`;
  throw new Problem('already_exists', `${slug} is a provider of the catalogue already: ${advice}`);
}

function throwUnlessOwn(live: CatalogFile, slug: string, models: readonly ModelInput[]): void {
  throwUnlessAddable(live, slug);
  const stored = new Map(live.models.map((model) => [model.id, model]));
  const foreign = models.find(({ id }) => {
    const old = stored.get(id);
    return old !== undefined && !(live.own?.has(id) && isOnlyAt(old, slug));
  });
  if (foreign === undefined) return;
  throw new Problem(
    'already_exists',
    `${foreign.id} is a model of the catalogue already: choose another slug`,
  );
}
