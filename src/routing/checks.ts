/**
 * The checks that stand between a candidate and an attempt, in the order of evaluation of interface section 6. Each
 * group finds the first of its reasons that holds; the first finding of all is the one that is reported.
 */
import { type FilterReason, filterReason } from '../byok/filters.js';
import type { Access, Candidate } from './candidate.js';
import { type Check, type Finding, firstFinding, found } from './finding.js';
import { staysWithin } from './policy.js';
import { isFree } from './price.js';
import { requestedProviders, requestedQualities } from './request-checks.js';
import type { Situation } from './situation.js';

const CANDIDATE_CHECKS: readonly Check<Candidate>[] = [
  endpointState,
  dataPolicy,
  region,
  guardrails,
  accountPreferences,
  requestedProviders,
  requestedQualities,
  keyFilters,
  keyState,
  sharedCapacity,
  credits,
];

const ACCESS_CHECKS: readonly Check<Access>[] = [
  guardrails,
  accountPreferences,
  requestedProviders,
  keyFilters,
];

/** Why the candidate can't be an attempt; undefined when it can. */
export function judgeCandidate(candidate: Candidate, situation: Situation): Finding | undefined {
  return firstFinding(CANDIDATE_CHECKS, candidate, situation);
}

/** Why a key is of no use whose provider has no endpoint for the model: the first of all that holds without one. */
export function judgeKeyWithoutEndpoint(access: Access, situation: Situation): Finding {
  const detail = `${access.providerSlug} has no endpoint for ${situation.model.id}.`;
  return firstFinding(ACCESS_CHECKS, access, situation) ?? found('key_no_endpoint', detail);
}

function endpointState({ endpoint }: Candidate): Finding | undefined {
  if (endpoint.status !== 'disabled') return undefined;
  return found('endpoint_disabled', 'The catalogue marks the endpoint as disabled.');
}

function dataPolicy({ endpoint }: Candidate, situation: Situation): Finding | undefined {
  if (situation.demandsZdr && !endpoint.dataPolicy.zdr) {
    return found('data_policy_zdr', 'Zero data retention is demanded; the endpoint does not promise it.');
  }
  if (situation.deniesCollection && endpoint.dataPolicy.dataCollection) {
    return found(
      'data_policy_collection',
      'Data collection is denied; the endpoint may keep or train on prompts.',
    );
  }
  return undefined;
}

function region({ regions, key }: Candidate, { policy }: Situation): Finding | undefined {
  if (staysWithin(policy.region, regions)) return undefined;
  const called = regions.length === 0 ? 'no region of its own' : regions.join(', ');
  const where = key === null ? `The endpoint runs in ${called}` : `The key calls ${called}`;
  return found('region', `${where}; the request must stay in ${policy.region}.`);
}

function guardrails({ providerSlug }: Access, { policy, model }: Situation): Finding | undefined {
  const modelBarred =
    policy.guardrailIgnoredModels.includes(model.id) ||
    policy.guardrailAllowedModels.some((allowed) => !allowed.includes(model.id));
  if (modelBarred) return found('guardrail_model', `A guardrail does not allow ${model.id}.`);
  const providerBarred =
    policy.guardrailIgnoredProviders.includes(providerSlug) ||
    policy.guardrailAllowedProviders.some((allowed) => !allowed.includes(providerSlug));
  if (providerBarred) return found('guardrail_provider', `A guardrail does not allow ${providerSlug}.`);
  return undefined;
}

function accountPreferences({ providerSlug }: Access, { policy }: Situation): Finding | undefined {
  const allowed = policy.preferenceAllowedProviders;
  const barred =
    policy.preferenceIgnoredProviders.includes(providerSlug) ||
    (allowed !== null && !allowed.includes(providerSlug));
  if (!barred) return undefined;
  return found('preference_provider', `The account's provider preferences leave out ${providerSlug}.`);
}

const FILTER_DETAILS: Record<FilterReason, string> = {
  key_model_filter: "The key's model filter does not contain the model.",
  key_api_key_filter: "The key's API-key filter does not contain the request's API key.",
  key_member_filter: "The key's member filter does not contain the request's member.",
};

function keyFilters({ key: routable }: Access, situation: Situation): Finding | undefined {
  if (routable === null) return undefined;
  const { key } = routable;
  if (key.disabled) return found('key_disabled', 'The key is disabled.');
  const { model, caller, resolveModelId } = situation;
  const reason = filterReason(key, model.id, caller, resolveModelId);
  if (reason !== null) return found(reason, FILTER_DETAILS[reason]);
  if (situation.demandsZdr && key.declaredZdr === false) {
    return found('key_not_zdr', 'Zero data retention is demanded; the key is declared as not offering it.');
  }
  return undefined;
}

function keyState({ key }: Candidate): Finding | undefined {
  if (key === null || key.usable) return undefined;
  return found('key_unusable', 'The stored credential cannot be opened or used.');
}

function sharedCapacity({ key, providerSlug }: Candidate, situation: Situation): Finding | undefined {
  if (key !== null) return undefined;
  if (situation.alwaysUseProviders.has(providerSlug)) {
    return found('always_use', `A key of yours is always used for ${providerSlug}.`);
  }
  if (situation.byokOnlyProviders.has(providerSlug)) {
    return found('byok_only', `A key of yours removes shared capacity of ${providerSlug}.`);
  }
  if (!situation.sharedProviders.has(providerSlug)) {
    return found('no_shared_credential', `This gateway holds no shared credential for ${providerSlug}.`);
  }
  return undefined;
}

function credits({ key, endpoint }: Candidate, situation: Situation): Finding | undefined {
  if (situation.hasCredits || isFree(endpoint.pricing)) return undefined;
  if (key === null) return found('insufficient_credits', 'The account has no credits left.');
  if (situation.hasByokAllowance) return undefined;
  return found(
    'insufficient_credits',
    'The free BYOK allowance is used up and no credits are left for the fee.',
  );
}
