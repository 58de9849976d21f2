import type { JsonValue, MessageInitShape } from '@bufbuild/protobuf';
import {
  type ExplainRouteRequest,
  ExplainRouteRequestSchema,
  type RouteSchema,
  RouteSection,
  RoutingService,
  StandingState,
} from '../../../gen/byway/v1/routing_pb.js';
import { isoTimestamp } from '../../base/clock.js';
import { invalid, type Violation } from '../../base/problem.js';
import type { RoutingMembers } from '../../formats/routing-members.js';
import type { KeyStore } from '../../identity/api-key.js';
import type { ReasoningMembers } from '../../inference/reasoning/reasoning.js';
import { chainSupportingReasoning } from '../../inference/reasoning/reasoning-refusal.js';
import type { AvailableFunds } from '../../ledger/admission.js';
import { isJsonObject } from '../../protobuf/members.js';
import { writeMessage } from '../../protobuf/write.js';
import {
  type ExplainedAttempt,
  type ExplainedExclusion,
  type ExplainedRoute,
  explain,
} from '../../routing/explain.js';
import { preferencesOf, routeViolations } from '../../routing/plan/preferences.js';
import { type RouteRequest, type RouterDependencies, route } from '../../routing/router.js';
import type { EndpointHealth } from '../../routing/types.js';
import { admitted, type Caller, callerOf } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';
import { defined } from '../messages/defined.js';

export interface RoutingServiceDependencies {
  readonly router: RouterDependencies;
  readonly keys: Pick<KeyStore, 'findKey'>;
  availableFunds(accountId: string): Promise<AvailableFunds>;
}

export function routingService(dependencies: RoutingServiceDependencies): ServiceDefinition {
  return defineService(
    RoutingService,
    {
      async explainRoute(request, context) {
        const { region } = callerOf(context);
        const caller = await subjectOf(dependencies, request, callerOf(context));
        if (caller === undefined) throw invalid([UNKNOWN_KEY]);
        const funds = await dependencies.availableFunds(caller.accountId);
        const routeRequest = requestOf(request, caller, region);
        const chain = await route(dependencies.router, routeRequest, funds);
        const { requireParameters } = routeRequest.preferences;
        const taken = chainSupportingReasoning(chain, reasoningMembers(routeRequest.body), requireParameters);
        return { data: routeMessage(explain(taken)) };
      },
    },
    {
      explainRoute: async (request, caller) => [
        ...routeViolations(routingMembers(request)),
        ...(await subjectViolations(dependencies, request, caller)),
      ],
    },
  );
}

async function subjectViolations(
  dependencies: RoutingServiceDependencies,
  request: ExplainRouteRequest,
  caller: Caller,
): Promise<Violation[]> {
  const { apiKeyHash } = request;
  const principal = admitted(caller, 'api_key', 'management_key');
  if (principal.kind === 'api_key') {
    return apiKeyHash === undefined || apiKeyHash === principal.keyHash ? [] : [NOT_YOURS];
  }
  if (apiKeyHash === undefined) return [NO_KEY];
  return (await subjectOf(dependencies, request, caller)) === undefined ? [UNKNOWN_KEY] : [];
}

/**
 * The API key whose route is explained: the caller's own, or the one that a management key names; undefined when
 * there is no such key, or it has expired.
 */
async function subjectOf(
  dependencies: RoutingServiceDependencies,
  { apiKeyHash = '' }: ExplainRouteRequest,
  caller: Caller,
): Promise<RouteRequest['caller'] | undefined> {
  const principal = admitted(caller, 'api_key', 'management_key');
  if (principal.kind === 'api_key') return { ...principal, apiKeyHash: principal.keyHash };
  const { accountId } = principal;
  const { router, keys } = dependencies;
  const key = await keys.findKey({ accountId, clientId: null }, apiKeyHash);
  if (key === undefined || (key.expiresAt !== null && key.expiresAt <= router.clock.now())) return undefined;
  return { accountId, apiKeyHash: key.hash, userId: key.creatorUserId, workspaceId: key.workspaceId };
}

function violation(rule: string, message: string): Violation {
  return { field: 'api_key_hash', rule, message };
}

const NO_KEY = violation('required', 'must name the API key whose route is asked for');
const UNKNOWN_KEY = violation('live', 'is not a live API key of this account');
const NOT_YOURS = violation('own', 'must be left out, or be the hash of the key that the call is made with');

function routingMembers(request: ExplainRouteRequest): RoutingMembers {
  // The writer spells the message as these members.
  return writeMessage(ExplainRouteRequestSchema, request) as RoutingMembers;
}

function requestOf(
  request: ExplainRouteRequest,
  caller: RouteRequest['caller'],
  region: string,
): RouteRequest {
  const {
    model,
    models,
    provider: _,
    api_key_hash,
    prompt_tokens,
    ...body
  } = writeMessage(ExplainRouteRequestSchema, request);
  return {
    caller,
    region,
    body,
    model: request.model ?? null,
    models: request.models?.values ?? null,
    preferences: preferencesOf(routingMembers(request).provider),
    promptTokens: request.promptTokens ?? null,
  };
}

/** The reasoning members of the request, whose body is any JSON: only what a chat would take counts. */
function reasoningMembers({ reasoning, reasoning_effort }: RouteRequest['body']): ReasoningMembers {
  // The body is JSON.
  const sent = reasoning as JsonValue | undefined;
  return isJsonObject(sent) ? { reasoning: sent, reasoning_effort } : { reasoning_effort };
}

function routeMessage({
  attempts,
  excluded,
  excludedCounts,
  unknownProviders,
}: ExplainedRoute): MessageInitShape<typeof RouteSchema> {
  return {
    attempts: attempts.map(attemptMessage),
    excluded: excluded.map(exclusionMessage),
    excludedCounts: { ...excludedCounts },
    unknownProviders: [...unknownProviders],
  };
}

function attemptMessage({ region, byokKeyId, byokLabel, section, standing, ...rest }: ExplainedAttempt) {
  return {
    ...rest,
    ...defined({ region, byokKeyId, byokLabel }),
    section: SECTIONS[section],
    standing: standingMessage(standing),
  };
}

const SECTIONS: Record<ExplainedAttempt['section'], RouteSection> = {
  prioritized: RouteSection.PRIORITIZED,
  shared: RouteSection.SHARED,
  fallback: RouteSection.FALLBACK,
};

function standingMessage(standing: EndpointHealth) {
  return standing.state === 'ok'
    ? { state: StandingState.OK }
    : { state: StandingState.COOLING, until: isoTimestamp(standing.until) };
}

function exclusionMessage({ provider, endpointId, byokKeyId, reason, detail }: ExplainedExclusion) {
  return { provider, reason, detail, ...defined({ endpoint: endpointId, byokKeyId }) };
}
