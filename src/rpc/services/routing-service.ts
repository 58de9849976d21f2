import type { JsonValue, MessageInitShape } from '@bufbuild/protobuf';
import {
  type ExplainRouteRequest,
  ExplainRouteRequestSchema,
  HealthState,
  RequestFormat,
  RouteLane,
  type RouteSchema,
  RouteSection,
  RoutingService,
} from '../../../gen/byway/v1/routing_pb.js';
import { isoTimestamp } from '../../base/clock.js';
import { invalid, type Problem, type Violation } from '../../base/problem.js';
import { runInSlices } from '../../base/time-slices.js';
import { FORMATS, type Format } from '../../catalog/types.js';
import type { RoutingMembers } from '../../formats/routing-members.js';
import { sessionOf } from '../../formats/session/name.js';
import { RequestReach } from '../../formats/shared-capacity/reach.js';
import { RequestUses } from '../../formats/shared-capacity/uses.js';
import { endUserRules, type KeyStore, keyLimit } from '../../identity/api-key.js';
import { refusedState } from '../../identity/authenticate.js';
import type { ReasoningMembers } from '../../inference/reasoning/reasoning.js';
import { chainSupportingReasoning } from '../../inference/reasoning/reasoning-refusal.js';
import type { RequestLimits } from '../../inference/run/request-limits.js';
import type { AvailableFunds } from '../../ledger/admission.js';
import type { EndUserRules } from '../../ledger/end-users.js';
import type { SpendLimit } from '../../ledger/limits.js';
import { isJsonObject } from '../../protobuf/members.js';
import { writeMessage } from '../../protobuf/write.js';
import { costDemandOf } from '../../routing/estimate/cost-demand.js';
import { type RequestSize, requestSize } from '../../routing/estimate/request-size.js';
import { wholeChain } from '../../routing/plan/plan.js';
import { preferencesOf, routeViolations } from '../../routing/plan/preferences.js';
import {
  type ExplainedAttempt,
  type ExplainedExclusion,
  type ExplainedRoute,
  explain,
} from '../../routing/router/explain.js';
import { ChatRouteFacts } from '../../routing/router/request-facts.js';
import { type RouteRequest, route } from '../../routing/router/router.js';
import type { EndpointHealth } from '../../routing/types.js';
import { endUserIn, endUserRefusal, runOf } from '../attribution.js';
import { type Caller, callerOf, principalOfKind } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';
import { defined } from '../messages/defined.js';
import { EXPLAINED_AS_CHATS, type ExplainedChat } from '../messages/explained-chat.js';
import { heldBackBy, type RouteFunds, type RouteRefusal, refusalByLimits } from './route-refusals.js';

export interface RoutingServiceDependencies extends RouteFunds {
  readonly keys: Pick<KeyStore, 'findKey'>;
  availableFunds(accountId: string): Promise<AvailableFunds>;
  readonly limits: Pick<RequestLimits, 'ofRequest'>;
}

/** The API key whose route is explained. */
interface Subject {
  readonly caller: RouteRequest['caller'];
  readonly limit: SpendLimit | null;
  readonly endUsers: EndUserRules | null;
  /** The problem of a key that can't be used at all. */
  readonly refused: Problem | undefined;
}

export function routingService(dependencies: RoutingServiceDependencies): ServiceDefinition {
  return defineService(
    RoutingService,
    {
      async explainRoute(request, context) {
        const { region } = callerOf(context);
        const subject = await subjectOf(dependencies, request, callerOf(context));
        if (subject === undefined) throw invalid([UNKNOWN_KEY]);
        const { caller } = subject;
        const run = runOf(context.requestHeader);
        const { size, reasoning, endUser, ...routeRequest } = requestOf(
          request,
          caller,
          region,
          context.requestHeader,
        );
        const { limit, endUsers } = subject;
        const now = dependencies.router.clock.now();
        const limited = { caller: { ...caller, limit, endUsers }, attribution: { run, endUser } };
        const limits = await dependencies.limits.ofRequest(limited, now);
        const refusal =
          subject.refused ??
          endUserRefusal(endUsers, endUser, formatOf(request)) ??
          (await refusalByLimits(dependencies, limits));
        const funds = await dependencies.availableFunds(caller.accountId);
        const cost = costDemandOf(size, routeRequest.preferences, limits.length > 0, now);
        const chain = await route(dependencies.router, { ...routeRequest, cost }, funds);
        const isServed = refusal === undefined && chain.attempts.length > 0;
        const refused = isServed ? await heldBackBy(dependencies, { ...routeRequest, cost }) : refusal;
        const { native, preferences } = routeRequest;
        const whole = await runInSlices(wholeChain(chain));
        const taken = chainSupportingReasoning(whole, reasoning, preferences.requireParameters, native);
        const format = native?.format ?? 'chat';
        return { data: routeMessage(explain(taken, format), refused) };
      },
    },
    {
      checks: {
        explainRoute: async (request, caller) => [
          ...routeViolations(routingMembers(request)),
          ...(await subjectViolations(dependencies, request, caller)),
        ],
      },
    },
  );
}

async function subjectViolations(
  dependencies: RoutingServiceDependencies,
  request: ExplainRouteRequest,
  caller: Caller,
): Promise<Violation[]> {
  const { apiKeyHash } = request;
  const principal = principalOfKind(caller, 'api_key', 'management_key');
  if (principal.kind === 'api_key') {
    return apiKeyHash === undefined || apiKeyHash === principal.keyHash ? [] : [NOT_YOURS];
  }
  if (apiKeyHash === undefined) return [NO_KEY];
  return (await subjectOf(dependencies, request, caller)) === undefined ? [UNKNOWN_KEY] : [];
}

/** The caller's own key, or the one that a management key names; undefined when there is no such key. */
async function subjectOf(
  { router, keys }: RoutingServiceDependencies,
  { apiKeyHash = '' }: ExplainRouteRequest,
  caller: Caller,
): Promise<Subject | undefined> {
  const principal = principalOfKind(caller, 'api_key', 'management_key');
  if (principal.kind === 'api_key') {
    const { keyHash, limit, endUsers } = principal;
    return { caller: { ...principal, apiKeyHash: keyHash }, limit, endUsers, refused: undefined };
  }
  const { accountId } = principal;
  const key = await keys.findKey({ accountId, clientId: null }, apiKeyHash);
  if (key === undefined) return undefined;
  const { hash, creatorUserId: userId, workspaceId } = key;
  return {
    caller: { accountId, apiKeyHash: hash, userId, workspaceId },
    limit: keyLimit(key),
    endUsers: endUserRules(key),
    refused: refusedState(key, router.clock.now()),
  };
}

function violation(rule: string, message: string): Violation {
  return { field: 'api_key_hash', rule, message };
}

const NO_KEY = violation('required', 'must name the API key whose route is asked for');
const UNKNOWN_KEY = violation('live', 'is no API key of this account');
const NOT_YOURS = violation('own', 'must be left out, or be the hash of the key that the call is made with');

function routingMembers(request: ExplainRouteRequest): RoutingMembers {
  // The writer spells the message as these members.
  return writeMessage(ExplainRouteRequestSchema, request) as RoutingMembers;
}

interface ExplainedRequest extends RouteRequest {
  readonly size: RequestSize;
  readonly reasoning: ReasoningMembers;
  /** null = nobody. */
  readonly endUser: string | null;
}

/** Throws a 400 Problem for headers that are not valid. */
function requestOf(
  request: ExplainRouteRequest,
  caller: RouteRequest['caller'],
  region: string,
  headers: Headers,
): ExplainedRequest {
  const {
    model,
    models,
    provider: _,
    api_key_hash,
    prompt_tokens,
    format,
    ...sent
  } = writeMessage(ExplainRouteRequestSchema, request);
  const { body, native } = EXPLAINED_AS_CHATS[formatOf(request)](sent);
  const asked = native && { ...native, body: sent };
  const size = requestSize(body, { isStreamed: sent.stream === true, ...(asked && { native: asked }) });
  return {
    size: atLeast(size, request.promptTokens ?? 0),
    reasoning: reasoningMembers(body),
    ...{ caller, region },
    facts: new ChatRouteFacts(
      body,
      { model: request.model ?? null, models: request.models?.values ?? null },
      native && { format: native.format, body: sent },
    ),
    ...(native !== undefined && { native }),
    reach: new RequestReach(body, asked),
    uses: new RequestUses(body, asked),
    preferences: preferencesOf(routingMembers(request).provider),
    promptTokens: request.promptTokens ?? null,
    session: sessionOf(headers, sent),
    endUser: endUserIn(headers, formatOf(request), sent),
  };
}

/** A prompt of so many tokens, whatever its images. */
function atLeast(size: RequestSize, promptTokens: number): RequestSize {
  return promptTokens > size.promptTokens ? { ...size, promptTokens, promptImages: [] } : size;
}

/** What the contract calls the formats. */
const REQUEST_FORMATS: Readonly<Record<Format, RequestFormat>> = {
  chat: RequestFormat.CHAT,
  messages: RequestFormat.MESSAGES,
  responses: RequestFormat.RESPONSES,
  completions: RequestFormat.COMPLETIONS,
  embeddings: RequestFormat.EMBEDDINGS,
  rerank: RequestFormat.RERANK,
};

function formatOf({ format = RequestFormat.CHAT }: ExplainRouteRequest): Format {
  return FORMATS.find((one) => REQUEST_FORMATS[one] === format) ?? 'chat';
}

/** The reasoning members of the request, whose body is any JSON: only what a chat would take counts. */
function reasoningMembers({ reasoning, reasoning_effort }: ExplainedChat['body']): ReasoningMembers {
  // The body is JSON.
  const sent = reasoning as JsonValue | undefined;
  return isJsonObject(sent) ? { reasoning: sent, reasoning_effort } : { reasoning_effort };
}

function routeMessage(
  { attempts, excluded, excludedCounts, unrelatedKeys, unknownProviders }: ExplainedRoute,
  refused: RouteRefusal | undefined,
): MessageInitShape<typeof RouteSchema> {
  return {
    ...(refused !== undefined && { refused }),
    attempts: attempts.map(attemptMessage),
    excluded: excluded.map(exclusionMessage),
    excludedCounts: { ...excludedCounts },
    unrelatedKeys,
    unknownProviders: [...unknownProviders],
  };
}

function attemptMessage(attempt: ExplainedAttempt) {
  const { region, byokKeyId, byokLabel, priceMode, section, health, lane, ...rest } = attempt;
  return {
    ...rest,
    ...defined({ region, byokKeyId, byokLabel, priceMode }),
    section: SECTIONS[section],
    health: healthMessage(health),
    standing: healthMessage(health),
    lane: lane === 'native' ? RouteLane.NATIVE : RouteLane.TRANSLATED,
  };
}

const SECTIONS: Record<ExplainedAttempt['section'], RouteSection> = {
  prioritized: RouteSection.PRIORITIZED,
  shared: RouteSection.SHARED,
  fallback: RouteSection.FALLBACK,
};

function healthMessage(health: EndpointHealth) {
  if (health.state === 'ok') return { state: HealthState.OK };
  const state = health.state === 'resting' ? HealthState.RESTING : HealthState.COOLING;
  return { state, until: isoTimestamp(health.until) };
}

function exclusionMessage({ provider, endpointId, byokKeyId, reason, detail }: ExplainedExclusion) {
  return { provider, reason, detail, ...defined({ endpoint: endpointId, byokKeyId }) };
}
