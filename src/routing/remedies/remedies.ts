/** Says what to do about a request that nothing can serve, in sentences. See docs/routing.md#when-nothing-serves. */
import { nearestNames } from '../../base/nearest.js';
import type { WholeChain } from '../plan/plan.js';
import { EXCLUSION_REASONS, type Exclusion, type ExclusionReason } from '../types.js';
import { addKey, keySentence, noKeySentence } from './key-remedies.js';
import {
  type Group,
  joined,
  MAX_NAMES,
  modelsIn,
  providerNamesOf,
  type RemedyLocation,
  sentence,
} from './words.js';

export type { RemedyLocation } from './words.js';

/** Nobody reads more than these; the metadata counts all causes. */
const MAX_SENTENCES = 3;

/**
 * One sentence for each kind of cause, the one nearest to being served first. It names the cause and what would fix it.
 * For each provider only the exclusion of its last excluded candidate counts, since that is the easiest to fix.
 */
export function remedies(chain: WholeChain, location: RemedyLocation): string {
  const groups = groupsOf(chain);
  if (groups.length === 0) {
    const ids = joined(chain.models.map(({ id }) => id));
    return `No endpoint of ${ids} is in the catalogue: name another model, or have the operator of this gateway import one`;
  }
  const sentences = groups.slice(0, MAX_SENTENCES).map((group) => sentenceOf(group, chain, location));
  const left = groups.length - MAX_SENTENCES;
  if (left > 0)
    sentences.push(`${left === 1 ? '1 more is' : `${left} more are`} counted in error.metadata.reasons`);
  return sentences.join('. ');
}

/** Exclusions of shared capacity that do not depend on the request. The provider's keys say what to do. */
const WITHOUT_SHARED: readonly ExclusionReason[] = [
  'no_shared_credential',
  'no_shared_capacity',
  'unpriced_mode',
  'always_use',
  'byok_only',
];

/** The exclusions by cause, those that are evaluated last first. */
function groupsOf({ plans, context }: WholeChain): Group[] {
  const groups = new Map<string, Group>();
  for (const { modelId, plan } of plans) {
    for (const slug of new Set(plan.excluded.map(({ provider }) => provider))) {
      for (const one of nearest(plan.excluded.filter(({ provider }) => provider === slug))) {
        const name = `${one.reason} ${one.field ?? ''}`;
        const group = groups.get(name) ?? { reason: one.reason, members: [] };
        const provider = context.providers.get(slug)?.name ?? slug;
        group.members.push({ modelId, slug, provider, exclusion: one });
        groups.set(name, group);
      }
    }
  }
  return [...groups.values()].sort((a, b) => rankOf(b.reason) - rankOf(a.reason));
}

function nearest(excluded: readonly Exclusion[]): readonly Exclusion[] {
  const keyed = excluded.filter(({ byokKeyId }) => byokKeyId !== null);
  const shared = excluded.filter(({ byokKeyId }) => byokKeyId === null);
  const isOfKeys = keyed.length > 0 && shared.every(({ reason }) => WITHOUT_SHARED.includes(reason));
  const judged = isOfKeys ? keyed : excluded;
  // Not `Math.max`: there may be more than a call takes arguments.
  const last = judged.reduce((rank, { reason }) => Math.max(rank, rankOf(reason)), 0);
  return judged.filter(({ reason }) => rankOf(reason) === last);
}

function rankOf(reason: ExclusionReason): number {
  return EXCLUSION_REASONS.indexOf(reason);
}

function sentenceOf(group: Group, chain: WholeChain, location: RemedyLocation): string {
  const [first] = group.members;
  const { detail = '', field } = first?.exclusion ?? {};
  if (field !== undefined) return sentence(detail, `leave ${field} out, or name another there`);
  return SENTENCES[group.reason](group, chain, location);
}

const ADMINISTRATOR = 'ask an administrator of the account';
const ANOTHER_MODEL = 'name another model';
const LISTED = 'GET /models/user lists those that are allowed';

type Sentence = (group: Group, chain: WholeChain, location: RemedyLocation) => string;

/** What the check says about the first member of the group, and what to do about it. */
const mendedBy =
  (remedy: string): Sentence =>
  (group) =>
    sentence(`${detailOf(group)} (${providerNamesOf(group)})`, remedy);

const SENTENCES: Record<ExclusionReason, Sentence> = {
  endpoint_disabled: (group, chain) => {
    const isDisabled = isDisabledInCatalog(group, chain);
    const enable = isDisabled ? ', or have the operator of this gateway enable it' : '';
    return sentence(`${detailOf(group)} (${providerNamesOf(group)})`, `${ANOTHER_MODEL}${enable}`);
  },
  data_policy_zdr: (group, { context: { preferences, policy } }) =>
    sentence(
      `Zero data retention is demanded ${demander(preferences.zdr, 'zdr', policy.zdr)}, which ${providerNamesOf(group)} does not promise for ${modelsIn(group)}`,
      policyRemedy(preferences.zdr, 'zdr'),
    ),
  data_policy_collection: (group, { context: { preferences, policy } }) => {
    const isAsked = preferences.dataCollection === 'deny';
    const who = demander(isAsked, 'data_collection', policy.denyDataCollection);
    return sentence(
      `Data collection is denied ${who}; ${providerNamesOf(group)} may keep or train on prompts of ${modelsIn(group)}`,
      policyRemedy(isAsked, 'data_collection'),
    );
  },
  region: (group) => {
    const hasKey = group.members.some(({ exclusion }) => exclusion.byokKeyId !== null);
    const remedy = hasKey ? 'store a key that calls a region in it' : ANOTHER_MODEL;
    return sentence(
      `${detailOf(group)} (${providerNamesOf(group)})`,
      `${remedy}, or send the request to the ordinary host of this gateway where it may leave the region`,
    );
  },
  guardrail_model: (group) =>
    sentence(
      `A guardrail does not allow ${modelsIn(group)}`,
      `${ANOTHER_MODEL} (${LISTED}), or ${ADMINISTRATOR} to allow it (allowed_models and ignored_models of the guardrail)`,
    ),
  guardrail_provider: (group) =>
    sentence(
      `A guardrail does not allow ${providerNamesOf(group)}`,
      `${ANOTHER_MODEL} (${LISTED}), or ${ADMINISTRATOR} to allow a provider (allowed_providers and ignored_providers of the guardrail)`,
    ),
  preference_provider: (group) =>
    sentence(
      `The account's provider preferences leave out ${providerNamesOf(group)}`,
      `${ANOTHER_MODEL} (${LISTED}), or ${ADMINISTRATOR} to change them (PATCH /preferences)`,
    ),
  request_only: (group, chain) =>
    sentence(
      `The list provider.only does not contain ${joined(slugsOf(group), 'or')}${mistyped(chain)}`,
      `add ${slugsOf(group).length === 1 ? 'it' : 'one of them'}, or leave the list out`,
    ),
  request_ignore: (group) =>
    sentence(
      `The list provider.ignore contains ${joined(slugsOf(group), 'and')}`,
      `take ${slugsOf(group).length === 1 ? 'it' : 'one of them'} out`,
    ),
  not_in_order: (group, chain) =>
    sentence(
      `The list provider.order does not contain ${joined(slugsOf(group), 'or')}, and provider.allow_fallbacks is false${mistyped(chain)}`,
      `add ${slugsOf(group).length === 1 ? 'it' : 'one of them'} to the order, or allow fallbacks`,
    ),
  max_price: (group) => {
    const member = detailOf(group).includes('max_cost_usd') ? 'max_cost_usd' : 'max_price';
    return sentence(
      `${detailOf(group)} (${providerNamesOf(group)})`,
      `raise provider.${member}, or ${ANOTHER_MODEL}`,
    );
  },
  quantization: mendedBy('add it to provider.quantizations, or leave that out'),
  unsupported_parameter: (group, { context: { preferences } }, location) => {
    const isOwnKeyNeeded = group.members.some(({ exclusion }) => exclusion.needsOwnKey);
    if (isOwnKeyNeeded) return sentence(detailOf(group), `leave it out, or ${addKey(group, location)}`);
    // The check has said what to do.
    if (detailOf(group).includes(': ')) return detailOf(group);
    const required = preferences.requireParameters ? ', or set provider.require_parameters to false' : '';
    return sentence(
      `${detailOf(group)} (${providerNamesOf(group)})`,
      `leave it out of the request${required}, or ${ANOTHER_MODEL}`,
    );
  },
  context_length: mendedBy(
    'shorten the request or its maximum of tokens, or name a model with a longer context',
  ),
  key_disabled: keySentence('key_disabled'),
  key_model_filter: keySentence('key_model_filter'),
  key_api_key_filter: keySentence('key_api_key_filter'),
  key_member_filter: keySentence('key_member_filter'),
  key_not_zdr: keySentence('key_not_zdr'),
  key_no_endpoint: keySentence('key_no_endpoint'),
  key_unusable: keySentence('key_unusable'),
  always_use: mendedBy('clear is_required of that key (PATCH /byok/{id}), or wait until it can serve'),
  byok_only: mendedBy('clear is_byok_only of that key (PATCH /byok/{id}), or wait until it can serve'),
  no_shared_capacity: (group, _, location) =>
    sentence(
      `${detailOf(group)} (${providerNamesOf(group)})`,
      `${addKey(group, location)}, or ask the operator of this gateway for shared capacity`,
    ),
  unpriced_mode: (group, _, location) =>
    sentence(
      `${detailOf(group)} (${providerNamesOf(group)})`,
      `${isOfRequest(group) ? 'leave it out, ' : ''}${addKey(group, location)}, or have the operator of this gateway give it a price`,
    ),
  no_shared_credential: (group, _, location) => noKeySentence(group, location),
  insufficient_credits: mendedBy('add credits to the account'),
  fallbacks_not_allowed: mendedBy('allow fallbacks (provider.allow_fallbacks)'),
  attempt_cap: mendedBy('name fewer models'),
};

/** Whether the mode of the request is unpriced, not the endpoint. */
function isOfRequest(group: Group): boolean {
  return detailOf(group).includes('price_modes');
}

/** Without its full stop. */
function detailOf({ members: [first] }: Group): string {
  return (first?.exclusion.detail ?? '').replace(/\.$/, '');
}

function slugsOf({ members }: Group): readonly string[] {
  return [...new Set(members.map(({ slug }) => slug))].slice(0, MAX_NAMES);
}

function isDisabledInCatalog({ members }: Group, { models }: WholeChain): boolean {
  const excluded = new Set(members.map(({ exclusion }) => exclusion.endpointId));
  const endpoints = models.flatMap((model) => model.endpoints);
  return endpoints.some(({ id, status }) => status === 'disabled' && excluded.has(id));
}

function demander(isAsked: boolean, member: string, isDemandedByPolicy: boolean): string {
  const request = `by provider.${member} of the request`;
  const account = 'by a guardrail or the preferences of the account';
  if (!isAsked) return account;
  return isDemandedByPolicy ? `${request} and ${account}` : request;
}

function policyRemedy(isAsked: boolean, member: string): string {
  const operator =
    "have the operator of this gateway record what the provider's contract says (data_policy in the catalogue)";
  return `name a model that complies (${LISTED})${isAsked ? `, leave provider.${member} out` : ''}, or ${operator}`;
}

/** Names in the request that are not a provider's, each with the nearest provider. */
function mistyped({ unknownProviders, context: { providers } }: WholeChain): string {
  const [first] = unknownProviders;
  if (first === undefined) return '';
  const [near] = nearestNames(first, providers.keys());
  return ` (no provider is called ${JSON.stringify(first)}${near === undefined ? '' : `; did you mean ${near}?`})`;
}
