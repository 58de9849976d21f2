/**
 * Checks what a request reaches beyond its model, for one candidate. Models and locations that the request names must
 * obey the rules for its own model. Some things only the owner of a credential may ask of a host. See
 * `docs/routing.md#what-a-request-reaches`.
 */

import type { Violation } from '../../base/problem.js';
import { filterReason } from '../../byok/filters.js';
import { formatAt } from '../../catalog/formats.js';
import { isFree } from '../../catalog/price.js';
import type { Endpoint } from '../../catalog/types.js';
import {
  dataPolicyOf,
  GLOBAL_REGION,
  hiddenReason,
  regionCovers,
  type VisibilityReason,
} from '../../catalog/visibility.js';
import { isNamed } from '../../formats/shared-capacity/left-out.js';
import type { Found } from '../../formats/shared-capacity/search.js';
import { allowedAt } from '../../formats/shared-capacity/shapes-of-hosts.js';
import { isPriced } from '../../formats/shared-capacity/work.js';
import type {
  Attempt,
  DemandedReach,
  EvaluationContext,
  ExclusionReason,
  NamedModel,
  RequestDemands,
} from '../types.js';
import { excludedFor, type ReasonedExclusion } from './exclusion.js';
import { tightened } from './model-context.js';

/** An endpoint and the key to call it with; null on shared capacity, undefined for any key. */
export interface ServedEndpoint extends Pick<Attempt, 'endpoint' | 'provider'> {
  readonly key?: Attempt['key'];
}

/** The request's demands, and the policy that applies to it. */
export type JudgedDemands = RequestDemands & Pick<EvaluationContext, 'policy'>;

/** The first rule for the request's own model that a model or location which it names breaks. */
export function namedModels(served: ServedEndpoint, demands: JudgedDemands): ReasonedExclusion | undefined {
  const { models, locations } = reachAt(served, demands);
  if (models.length === 0 && locations.length === 0) return undefined;
  for (const named of models) {
    const hidden = hiddenModel(named, served, demands);
    if (hidden !== undefined) return hidden;
  }
  return hiddenLocation(locations, demands);
}

/** Checks whether a model that the request names costs more than `max_price`. An unknown price counts as more. */
export function namedModelsInPrice(
  served: ServedEndpoint,
  demands: JudgedDemands,
  withinMaxPrice: (endpoint: Endpoint, demands: RequestDemands) => ReasonedExclusion | undefined,
): ReasonedExclusion | undefined {
  if (demands.preferences.maxPrice === null) return undefined;
  for (const named of reachAt(served, demands).models) {
    const known = endpointsOf(named, served);
    if (known.some((endpoint) => withinMaxPrice(endpoint, demands) === undefined)) continue;
    return excludedAt(
      named.field,
      'max_price',
      `${named.field} names ${nameOf(named)}, whose price is not within max_price.`,
    );
  }
  return undefined;
}

/** Why the key may not be used with a model that the request names. */
export function namedByKeyFilter(
  served: Attempt,
  demands: JudgedDemands & Pick<EvaluationContext, 'caller' | 'resolveModelId'>,
): ReasonedExclusion | undefined {
  const { key } = served;
  const { models } = reachAt(served, demands);
  if (key === null || models.length === 0) return undefined;
  const { caller, resolveModelId } = demands;
  const named = models.find(
    (one) => filterReason(key, idOf(one), caller, resolveModelId) === 'key_model_filter',
  );
  if (named === undefined) return undefined;
  return excludedAt(
    named.field,
    'key_model_filter',
    `The key's model filter does not contain ${nameOf(named)}, which ${named.field} names.`,
  );
}

/**
 * Over shared capacity a request may name no objects of the operator's. If shared capacity is billed, the host's own
 * work must have a price.
 */
export function withinReach(served: ServedEndpoint, demands: RequestDemands): ReasonedExclusion | undefined {
  if (served.key !== null) return undefined;
  const reach = reachAt(served, demands);
  if (reach.owned.length + reach.work.length + reach.unpriced.length === 0) return undefined;
  const barred = barredFrom(served.endpoint, reach, demands);
  const [first] = barred;
  if (first === undefined) return undefined;
  const detail = `Over shared capacity ${shown(first.field)} (${shown(first.name)}) is not sent: it ${first.why}.`;
  return {
    ...excludedFor('unsupported_parameter', detail),
    violations: barred.map(violationOf),
    needsOwnKey: true,
  };
}

/** What keeps a request from shared capacity, and why. */
interface Barred extends Pick<Found, 'field' | 'name'> {
  readonly why: string;
}

function barredFrom(
  endpoint: Endpoint,
  { owned, work, unpriced }: DemandedReach,
  { isBilled }: Pick<RequestDemands, 'isBilled'>,
): readonly Barred[] {
  const admitted = allowedAt(endpoint);
  const isBarred = ({ field, name }: Pick<Found, 'field' | 'name'>) =>
    !isNamed(admitted, name) && !admitted.has(topLevel(field));
  const objects = owned.filter(isBarred).map(({ field, name }) => ({ field, name, why: OF_OWNER }));
  if (!isBilled || isFree(endpoint.pricing)) return objects;
  const acting = work
    .filter((one) => one.isOptional !== true && !isPriced(one, endpoint))
    .map(({ path, type }) => ({ field: path, name: type }));
  const costing = [...acting, ...unpriced].filter(isBarred);
  return [...objects, ...costing.map(({ field, name }) => ({ field, name, why: UNPRICED }))];
}

function violationOf({ field, name, why }: Barred): Violation {
  const remedy = 'so that it needs a key of your own: add one for a provider of the model, or leave it out';
  return { field, rule: 'own_key', message: `${shown(name)} ${why}, ${remedy}` };
}

const OF_OWNER = 'names what belongs to the owner of the credential';
const UNPRICED = 'makes the provider do what has no price here';

/** Longer names are cut in messages. */
const MAX_SHOWN_CHARACTERS = 100;

function shown(name: string): string {
  return name.slice(0, MAX_SHOWN_CHARACTERS);
}

/** The member of the request itself: `tools` for `tools[0].model`. */
function topLevel(field: string): string {
  return field.split(/[.[]/, 1)[0] ?? field;
}

function reachAt({ endpoint, provider }: ServedEndpoint, { native, reach }: RequestDemands): DemandedReach {
  return reach(formatAt(native?.format ?? 'chat', endpoint, provider));
}

/** Applies the rules for the request's own model. The named model runs where the call goes. */
function hiddenModel(
  named: NamedModel,
  served: ServedEndpoint,
  { policy, preferences }: JudgedDemands,
): ReasonedExclusion | undefined {
  const anywhere = { ...tightened(policy, preferences), region: GLOBAL_REGION, isRegionAdmitted: true };
  const known = endpointsOf(named, served);
  const judged = known.length > 0 ? known : [likely(named, served)];
  const reasons = judged.map((endpoint) => hiddenReason(endpoint, served.provider, anywhere));
  const refused = reasons.filter((reason) => reason !== null && reason !== 'endpoint_disabled');
  const isNowhereIgnored = named.model !== undefined || policy.guardrailIgnoredModels.length === 0;
  if (refused.length === 0 && reasons.includes(null) && isNowhereIgnored) return undefined;
  const reason = refused[0] ?? reasons.find((one) => one !== null) ?? 'guardrail_model';
  return excludedAt(named.field, reason, `${named.field} names ${nameOf(named)}: ${BECAUSE[reason]}.`);
}

const BECAUSE: Record<VisibilityReason, string> = {
  endpoint_disabled: 'the catalogue marks its endpoint as disabled',
  data_policy_zdr: 'zero data retention is demanded, and nothing promises it of that model',
  data_policy_collection: 'data collection is denied, and that model may keep or train on prompts',
  region: 'the request must stay in its region',
  guardrail_model: 'a guardrail does not allow that model',
  guardrail_provider: 'a guardrail does not allow its provider',
  preference_provider: "the account's preferences leave its provider out",
};

/** An endpoint for a model that the catalogue does not have at this provider. It promises nothing. */
function likely(named: NamedModel, { endpoint, provider }: ServedEndpoint): Endpoint {
  return { ...endpoint, modelId: idOf(named), dataPolicy: dataPolicyOf({}, provider) };
}

function endpointsOf({ model, hosted = [] }: NamedModel, { endpoint }: ServedEndpoint): readonly Endpoint[] {
  const named = [...(model?.endpoints ?? []), ...hosted];
  return named.filter(({ provider }) => provider === endpoint.provider);
}

function idOf({ model, name }: NamedModel): string {
  return model?.id ?? name;
}

function nameOf(named: NamedModel): string {
  return shown(idOf(named)) || 'more models than are judged';
}

/**
 * `inference_geo` must be within the region that the request must stay in. A server that the host calls may be
 * anywhere.
 */
function hiddenLocation(
  locations: DemandedReach['locations'],
  { policy }: JudgedDemands,
): ReasonedExclusion | undefined {
  const { region } = policy;
  if (region === GLOBAL_REGION) return undefined;
  const outside = locations.find(({ value }) => value === null || !regionCovers(region, value.toLowerCase()));
  if (outside === undefined) return undefined;
  const where =
    outside.value === null ? 'names a server of which no region is known' : `is ${shown(outside.value)}`;
  const detail = `${shown(outside.field)} ${where}; the request must stay in ${region}.`;
  return excludedAt(outside.field, 'region', detail);
}

function excludedAt(field: string, reason: ExclusionReason, detail: string): ReasonedExclusion {
  return { ...excludedFor(reason, detail), field: shown(field) };
}
