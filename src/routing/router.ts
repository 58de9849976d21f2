/** Gathers what a plan depends on, for one request, and plans it. */
import type { Clock } from '../base/clock.js';
import { invalid } from '../base/problem.js';
import type { CredentialBook } from '../byok/credential-book.js';
import type { StoredKey } from '../byok/ports.js';
import type { CatalogCache } from '../catalog/cache.js';
import type { Catalog } from '../catalog/catalog.js';
import type { AdapterName, Model } from '../catalog/types.js';
import type { Visibility } from '../catalog/visibility.js';
import type { Means } from '../spend/admission.js';
import { type Chain, planChain } from './chain.js';
import type { Circuit } from './circuit.js';
import { estimatePromptTokens } from './prompt-tokens.js';
import { reachOf, WHOLE_REACH } from './reach.js';
import { type UnknownModel, unknownModels } from './refusal.js';
import type { Caller, EndpointFigures, ProviderPreferences, Reach, RoutableKey, Sort } from './types.js';
import { type ChatBody, usedParameters } from './used-parameters.js';

/** A request to route. */
export interface RouteRequest {
  readonly caller: Caller & { readonly accountId: string };
  /** Region of the host that the request came through. */
  readonly region: string;
  /** The request in our dialect, without `model`, `models` and `provider`. */
  readonly body: ChatBody;
  readonly model: string | null;
  readonly models: readonly string[] | null;
  readonly preferences: ProviderPreferences;
  /** The caller's own estimate of the prompt's tokens; null = estimate it from the body. */
  readonly promptTokens: number | null;
}

/** What the account and its guardrails say of a request through the region, with names of models resolved. */
export type PolicyFor = (
  caller: RouteRequest['caller'],
  region: string,
  catalog: Catalog,
) => Promise<{ readonly visibility: Visibility; readonly defaultSort: Sort | null }>;

/** What a router works with. */
export interface RouterParts {
  readonly catalogs: Pick<CatalogCache, 'current'>;
  readonly credentials: Pick<CredentialBook, 'keysOf' | 'open' | 'shared' | 'sharedProviders'>;
  readonly circuit: Pick<Circuit, 'standing'>;
  readonly policyFor: PolicyFor;
  readonly figures: (endpointId: string) => EndpointFigures | undefined;
  readonly clock: Clock;
  readonly maxAttempts: number;
}

/** The providers of this adapter answer without any credential. */
const NEEDS_NO_CREDENTIAL: AdapterName = 'demo';

/**
 * The chain of plans for the request of an account that can pay with these means. Throws a 400 Problem when it names no
 * model, or one that is not known.
 */
export async function route(parts: RouterParts, request: RouteRequest, means: Means): Promise<Chain> {
  const catalog = await parts.catalogs.current();
  const models = modelsOf(catalog, request);
  const { caller, body } = request;
  const [policy, keys, sharedProviders] = await Promise.all([
    parts.policyFor(caller, request.region, catalog),
    routableKeys(parts, catalog, caller.workspaceId),
    sharedProvidersOf(parts, catalog),
  ]);
  const now = parts.clock.now();
  return planChain(models, {
    providers: catalog.providers,
    caller,
    policy: policy.visibility,
    preferences: { ...request.preferences, sort: request.preferences.sort ?? policy.defaultSort },
    usedParameters: usedParameters(body),
    promptTokens: request.promptTokens ?? estimatePromptTokens(body).low,
    maxTokens: maxTokensOf(body),
    keys,
    sharedProviders,
    resolveModelId: catalog.resolveId,
    figures: parts.figures,
    standing: (endpointId, byokKeyId) => parts.circuit.standing(endpointId, byokKeyId, now),
    maxAttempts: parts.maxAttempts,
    ...means,
  });
}

/** `model` first, then `models`; a name that both have counts once. */
function modelsOf(catalog: Catalog, { model, models }: RouteRequest): Model[] {
  const named = [
    ...(model === null ? [] : [{ field: 'model', name: model }]),
    ...(models ?? []).map((name, index) => ({ field: `models[${index}]`, name })),
  ];
  if (named.length === 0) {
    throw invalid([
      { field: 'model', rule: 'required', message: 'must name a model, or models a list of them' },
    ]);
  }
  const unknown: UnknownModel[] = [];
  const known = named.flatMap((entry) => {
    const resolution = catalog.resolve(entry.name);
    if (resolution === undefined) unknown.push(entry);
    return resolution === undefined ? [] : [resolution.model];
  });
  if (unknown.length > 0) {
    throw unknownModels(
      unknown,
      catalog.models.map(({ id }) => id),
    );
  }
  return known;
}

async function routableKeys(
  parts: RouterParts,
  catalog: Catalog,
  workspaceId: string,
): Promise<RoutableKey[]> {
  const stored = await parts.credentials.keysOf(workspaceId);
  return stored.map((one) => routableKey(parts, catalog, one));
}

function routableKey({ credentials }: RouterParts, catalog: Catalog, stored: StoredKey): RoutableKey {
  const { key } = stored;
  const provider = catalog.providers.get(key.provider);
  const opened = provider === undefined ? undefined : credentials.open(stored, provider.adapter);
  return opened !== undefined && 'credential' in opened
    ? { key, usable: true, ...reachOf(opened.credential, catalog.resolveId) }
    : { key, usable: false, ...WHOLE_REACH };
}

async function sharedProvidersOf(
  { credentials }: RouterParts,
  catalog: Catalog,
): Promise<Map<string, Reach>> {
  const shared = new Map<string, Reach>();
  for (const { slug, adapter } of catalog.providers.values()) {
    if (adapter === NEEDS_NO_CREDENTIAL) shared.set(slug, WHOLE_REACH);
  }
  for (const slug of await credentials.sharedProviders()) {
    const provider = catalog.providers.get(slug);
    const opened = provider && (await credentials.shared(slug, provider.adapter));
    if (opened !== undefined && 'credential' in opened)
      shared.set(slug, reachOf(opened.credential, catalog.resolveId));
  }
  return shared;
}

function maxTokensOf(body: ChatBody): number | null {
  const asked = body.max_completion_tokens ?? body.max_tokens;
  return typeof asked === 'number' ? asked : null;
}
