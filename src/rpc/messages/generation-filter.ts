import type {
  ExportGenerationsRequest,
  ListGenerationsRequest,
} from '../../../gen/byway/v1/generations_pb.js';
import { orderViolations } from '../../accounts/rules.js';
import type { Violation } from '../../base/problem.js';
import {
  GENERATION_STATUSES,
  type GenerationFilter,
  type GenerationStatus,
} from '../../inference/ports/generation.js';
import { instantOf, instantViolations, parseInstant } from './values.js';
import { namesOf, nameViolations, wordsOf, wordViolations } from './words.js';

/** A request for some of the account's generations. */
export type FilteredRequest = ListGenerationsRequest | ExportGenerationsRequest;

/** What is wrong with the filters, apart from workspaces that the account does not have. */
export function generationFilterViolations(request: FilteredRequest): Violation[] {
  const { from, to } = request;
  return [
    ...instantViolations('from', from),
    ...instantViolations('to', to),
    ...orderViolations(parseInstant(from ?? ''), parseInstant(to ?? '')),
    ...wordViolations(request, WORD_LISTS),
    ...nameViolations(request, NAME_LISTS),
    ...statusViolations(request),
  ];
}

const WORD_LISTS = [
  'apiKeyHash',
  'workspaceId',
  'status',
  'model',
  'provider',
  'userId',
  'api',
  'reason',
  'sessionId',
] as const;

/** What clients call things. */
const NAME_LISTS = ['run', 'runId', 'endUser', 'agentId', 'parentAgentId'] as const;

function statusViolations({ status }: FilteredRequest): Violation[] {
  if ((wordsOf(status) ?? []).every(isStatus)) return [];
  return [{ field: 'status', rule: 'in', message: `must be among ${GENERATION_STATUSES.join(', ')}` }];
}

function isStatus(word: string): word is GenerationStatus {
  return GENERATION_STATUSES.some((status) => status === word);
}

/** Throws a 400 Problem for a time that is no instant. */
export function filterOf(request: FilteredRequest): GenerationFilter {
  const { from, to } = request;
  return {
    from: from === undefined ? null : instantOf('from', from),
    to: to === undefined ? null : instantOf('to', to),
    apiKeyHashes: wordsOf(request.apiKeyHash),
    workspaceIds: wordsOf(request.workspaceId),
    userIds: wordsOf(request.userId),
    models: wordsOf(request.model),
    providers: wordsOf(request.provider),
    apis: wordsOf(request.api),
    statuses: wordsOf(request.status)?.filter(isStatus) ?? null,
    reasons: wordsOf(request.reason),
    sessionIds: wordsOf(request.sessionId),
    runIds: namesOf(request.runId),
    runs: namesOf(request.run),
    endUsers: namesOf(request.endUser),
    agentIds: namesOf(request.agentId),
    parentAgentIds: namesOf(request.parentAgentId),
    isByok: request.isByok ?? null,
  };
}
