import { nearestNames } from '../../base/nearest.js';
import type { CatalogFile, EndpointInput, ModelInput } from '../input/catalog-file.js';
import type { CatalogViolations } from '../input/violation-list.js';
import { isPaidBefore } from '../modes.js';
import type { Quirks } from '../quirks.js';
import { ADAPTERS, type AdapterName, type PriceMode, type Provider } from '../types.js';
import { endpointNames } from './assemble.js';

/**
 * Adds violations where the entries of a file are inconsistent, with each other or with the `stored` ones that it is
 * merged into: names of two things, unknown providers, aliases without a concrete target, endpoints without a price.
 */
export function checkCatalog(file: CatalogFile, stored: CatalogFile, violations: CatalogViolations): void {
  checkProviders(file, violations);
  const models = new Map([...stored.models, ...file.models].map((model) => [model.id, model]));
  const providers = new Map([...stored.providers, ...file.providers].map((one) => [one.slug, one]));
  checkNames(file, models, violations);
  checkEndpointIds(file, models, violations);
  file.models.forEach((model, index) => {
    const path = `models[${index}]`;
    if (model.aliasTarget !== null) checkAlias(model, model.aliasTarget, path, models, violations);
    model.endpoints.forEach((endpoint, position) => {
      checkEndpoint(endpoint, model, `${path}.endpoints[${position}]`, providers, violations);
    });
  });
  checkStoredAliases(file, stored, violations);
}

function checkProviders(file: CatalogFile, violations: CatalogViolations): void {
  const seen = new Map<string, number>();
  file.providers.forEach((provider, index) => {
    const { slug, adapter, quirks } = provider;
    const path = `providers[${index}]`;
    checkQuirks(quirks, adapter, `${path}.quirks`, violations);
    checkHost(provider, path, violations);
    checkModes(provider.priceModes, adapter, path, violations);
    const first = seen.get(slug);
    if (slug === '') return;
    if (first === undefined) seen.set(slug, index);
    else violations.add(`providers[${index}].slug`, 'duplicate', `"${slug}" is already providers[${first}]`);
  });
}

/** What the rules of providers depend on. */
interface AdapterRules {
  /** Whether the credential is a bare key, which a host may do without. */
  readonly isKeyless: boolean;
  /** Whether a host is called, at `base_url` or the default one. */
  readonly hasHost: boolean;
  /** Whether quirks are read: where OpenAI's chat format is spoken. */
  readonly hasQuirks: boolean;
  /** Whether the URL has a version that a quirk can name. */
  readonly hasApiVersion: boolean;
}

const PLAIN: AdapterRules = { isKeyless: false, hasHost: true, hasQuirks: false, hasApiVersion: false };

const RULES: Readonly<Record<AdapterName, AdapterRules>> = {
  openai: { ...PLAIN, isKeyless: true, hasQuirks: true },
  anthropic: { ...PLAIN, isKeyless: true },
  azure: { ...PLAIN, hasQuirks: true, hasApiVersion: true },
  'amazon-bedrock': PLAIN,
  'google-vertex': { ...PLAIN, hasQuirks: true },
  demo: { ...PLAIN, hasHost: false },
};

/** The names of those of which this is true, as messages list them. */
function adaptersWith(rule: keyof AdapterRules): string {
  return ADAPTERS.filter((adapter) => RULES[adapter][rule]).join(', ');
}

function checkHost(
  { adapter, baseUrl, headers, credential }: Provider,
  path: string,
  violations: CatalogViolations,
): void {
  if (credential === 'none' && (baseUrl === null || !RULES[adapter].isKeyless)) {
    const message = `"none" needs a base_url, and one of the adapters ${adaptersWith('isKeyless')}`;
    violations.add(`${path}.credential`, 'adapter', message);
  }
  if (headers === undefined) return;
  if (baseUrl === null || !RULES[adapter].hasHost) {
    violations.add(`${path}.headers`, 'base_url', 'need a base_url: they are sent to its origin alone');
  } else if (/^[^/]*\/\/[^/]*\{/.test(baseUrl)) {
    const message = 'need a base_url without a placeholder in its host, which credentials would fill';
    violations.add(`${path}.headers`, 'base_url', message);
  }
}

function checkQuirks(
  quirks: Quirks,
  adapter: AdapterName,
  path: string,
  violations: CatalogViolations,
): void {
  if (Object.keys(quirks).length > 0 && !RULES[adapter].hasQuirks) {
    const message = `has no effect with the adapter ${adapter}, only with ${adaptersWith('hasQuirks')}`;
    violations.add(path, 'adapter', message);
  }
  if (quirks.apiVersion !== undefined && !RULES[adapter].hasApiVersion) {
    const message = `has an effect only with the adapter ${adaptersWith('hasApiVersion')}`;
    violations.add(`${path}.api_version`, 'adapter', message);
  }
}

/** Anthropic's tier `priority` is capacity that was paid before, and can't be asked for. */
function checkModes(
  modes: readonly PriceMode[] | undefined,
  adapter: AdapterName,
  path: string,
  violations: CatalogViolations,
): void {
  modes?.forEach(({ words }, index) => {
    if (!isPaidBefore(words, adapter)) return;
    const message = 'must not be "priority": at Anthropic that is capacity paid before, so the base';
    violations.add(`${path}.price_modes[${index}].service_tier`, 'base', message);
  });
}

/** No id or canonical slug may name two models, whichever of them is in the file; an alias may share that of its target. */
function checkNames(
  file: CatalogFile,
  models: ReadonlyMap<string, ModelInput>,
  violations: CatalogViolations,
): void {
  const positions = new Map<string, number>();
  file.models.forEach(({ id }, index) => {
    const first = positions.get(id);
    if (id === '') return;
    if (first === undefined) positions.set(id, index);
    else violations.add(`models[${index}].id`, 'duplicate', `"${id}" is already models[${first}]`);
  });
  const stored = [...models.values()].filter(({ id }) => !positions.has(id));
  const [concrete, aliases] = halves([...stored, ...file.models]);
  const bySlug = new Map<string, ModelInput>();
  for (const model of [...concrete, ...aliases]) {
    const slug = model.canonicalSlug ?? model.id;
    const other = bySlug.get(slug) ?? (slug === model.id ? undefined : models.get(slug));
    if (other === undefined) bySlug.set(slug, model);
    if (slug === '' || other === undefined || other.id === model.id) continue;
    if (model.aliasTarget !== null && model.aliasTarget === (other.aliasTarget ?? other.id)) continue;
    const [at, otherAt] = [positions.get(model.id), positions.get(other.id)];
    if (at !== undefined) {
      violations.add(`models[${at}].canonical_slug`, 'duplicate', `"${slug}" already names ${other.id}`);
    } else if (otherAt !== undefined) {
      violations.add(`models[${otherAt}].id`, 'duplicate', `"${slug}" already names ${model.id}`);
    }
  }
}

/** Models, and aliases. */
function halves(models: readonly ModelInput[]): [ModelInput[], ModelInput[]] {
  return [models.filter((one) => one.aliasTarget === null), models.filter((one) => one.aliasTarget !== null)];
}

/** An endpoint is named by its provider, model and region together, and these may have the same signs in them. */
function checkEndpointIds(
  file: CatalogFile,
  models: ReadonlyMap<string, ModelInput>,
  violations: CatalogViolations,
): void {
  const given = new Set(file.models.map(({ id }) => id));
  const owners = new Map<string, string>();
  for (const model of models.values()) {
    if (!given.has(model.id)) for (const name of endpointNames(model)) owners.set(name, model.id);
  }
  file.models.forEach((model, index) => {
    endpointNames(model).forEach((name, position) => {
      const owner = owners.get(name) ?? model.id;
      owners.set(name, owner);
      if (owner === model.id) return;
      const message = `would have the id "${name}", which an endpoint of ${owner} has`;
      violations.add(`models[${index}].endpoints[${position}]`, 'duplicate', message);
    });
  });
}

function checkAlias(
  model: ModelInput,
  target: string,
  path: string,
  models: ReadonlyMap<string, ModelInput>,
  violations: CatalogViolations,
): void {
  const found = models.get(target);
  if (model.endpoints.length > 0)
    violations.add(`${path}.endpoints`, 'alias', 'must be absent: an alias has none');
  if (target === '') return;
  if (found === undefined) {
    violations.add(
      `${path}.alias_target.slug`,
      'unknown_model',
      `"${target}" is no model${hint(target, models.keys())}`,
    );
  } else if (found.aliasTarget !== null) {
    violations.add(`${path}.alias_target.slug`, 'alias', `"${target}" is itself an alias`);
  }
}

function checkEndpoint(
  endpoint: EndpointInput,
  model: ModelInput,
  path: string,
  providers: ReadonlyMap<string, Provider>,
  violations: CatalogViolations,
): void {
  const { provider: slug } = endpoint;
  const provider = providers.get(slug);
  if (provider !== undefined) {
    checkQuirks(endpoint.quirks, provider.adapter, `${path}.quirks`, violations);
    checkModes(endpoint.priceModes, provider.adapter, path, violations);
  } else if (slug !== '') {
    const message = `"${slug}" is no provider${hint(slug, providers.keys())}`;
    violations.add(`${path}.provider`, 'unknown_provider', message);
  }
  if (endpoint.isUnpriced) {
    for (const [name, given] of [
      ['pricing', endpoint.pricing],
      ['price_modes', endpoint.priceModes ?? null],
    ] as const) {
      if (given !== null)
        violations.add(`${path}.${name}`, 'unpriced', 'must be absent where the endpoint is unpriced');
    }
  } else if (endpoint.pricing === null && model.pricing === null) {
    const message = 'is required where the model has none; "unpriced": true leaves the endpoint to own keys';
    violations.add(`${path}.pricing`, 'required', message);
  }
}

/** A merge must not replace the target of a stored alias by an alias. */
function checkStoredAliases(file: CatalogFile, stored: CatalogFile, violations: CatalogViolations): void {
  const replaced = new Set(file.models.map((model) => model.id));
  const targets = new Set(
    stored.models.flatMap((model) => (replaced.has(model.id) ? [] : (model.aliasTarget ?? []))),
  );
  file.models.forEach((model, index) => {
    if (model.aliasTarget === null || !targets.has(model.id)) return;
    violations.add(
      `models[${index}].alias_target`,
      'alias',
      'must be absent: a stored alias points at this model',
    );
  });
}

function hint(name: string, known: Iterable<string>): string {
  const [nearest] = nearestNames(name, known);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}
