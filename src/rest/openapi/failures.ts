import { Plane, Role } from '../../../gen/byway/options/v1/options_pb.js';
import { invalid, notFound, Problem } from '../../base/problem.js';
import { unsupportedMediaType } from '../../http/error-envelope.js';
import type { Operation } from '../operation.js';

/** One status of a failed request. */
export interface DescribedFailure {
  /** Name of the answer among the components. */
  readonly name: string;
  readonly description: string;
  readonly example: Problem;
  /** Whether the operation can fail so. */
  readonly happensTo: (operation: Operation) => boolean;
}

/**
 * The failures of requests by HTTP status (docs/compatibility.md#errors). An operation's traffic class, roles, path
 * and body decide which of these it can answer. Any other status can end every request early.
 */
export const FAILURES: ReadonlyMap<number, DescribedFailure> = new Map([
  failure('BadRequest', always, {
    description:
      'The request breaks rules: `error.metadata.violations` names every field and the rule it broke.',
    example: invalid([{ field: 'limit', rule: 'type', message: 'must be a number' }]),
  }),
  failure('Unauthorized', always, {
    description:
      'The credential is missing, unknown, disabled or expired. One that is sent must be valid, also where none is needed.',
    example: new Problem('missing_authentication', 'Missing Authentication header'),
  }),
  failure('PaymentRequired', runsInference, {
    description: 'The request could be served, but for want of credits.',
    example: new Problem(
      'insufficient_credits',
      'Insufficient credits: the credits of the account are spent and do not reset, ' +
        'whoever operates this gateway can add credits (byway account credit); ' +
        'requests over your own provider keys (BYOK) are still served while the free allowance of the month lasts',
    ),
  }),
  failure('Forbidden', ({ rule }) => !rule.roles.includes(Role.ANONYMOUS), {
    description: 'The credential is valid, but may not do this.',
    example: new Problem('permission_denied', 'Only management keys can perform this operation'),
  }),
  failure('NotFound', namesResource, {
    description: 'What the request names does not exist, or not for this caller.',
    example: notFound(),
  }),
  failure('Conflict', (operation) => changesAccount(operation) || readsResults(operation), {
    description: 'The state of the resource does not allow it.',
    example: new Problem('already_exists', 'Already exists'),
  }),
  failure('BodyTooLarge', hasBody, {
    description: 'The body is too large.',
    example: new Problem('body_too_large', 'Request body is too large'),
  }),
  failure('UnsupportedMediaType', hasBody, {
    description: 'The body is not JSON in UTF-8.',
    example: unsupportedMediaType(),
  }),
  failure('TooManyRequests', isLimited, {
    description:
      'Too many requests: at this service, or at every provider that was tried. Or requests in flight hold what is left of a limit, budget or the credits.',
    example: new Problem('rate_limited', 'Rate limit exceeded'),
  }),
  failure('InternalError', always, {
    description: 'An unexpected error of the service.',
    example: new Problem('internal', 'Internal server error'),
  }),
  failure('UpstreamFailed', (operation) => runsInference(operation) || readsResults(operation), {
    description:
      'No provider could serve the request: `error.metadata.provider_responses` lists every attempt.',
    example: new Problem('upstream_failed', 'No provider could serve this request'),
  }),
]);

function failure(
  name: string,
  happensTo: DescribedFailure['happensTo'],
  rest: Pick<DescribedFailure, 'description' | 'example'>,
): [number, DescribedFailure] {
  return [rest.example.httpStatus, { name, happensTo, ...rest }];
}

function always(): boolean {
  return true;
}

function hasBody({ body }: Operation): boolean {
  return body !== undefined;
}

/** A resource is named by the path; a model or generation by the body, the query or what the caller may see. */
function namesResource({ pathParameters, rule }: Operation): boolean {
  const isAnonymous = rule.roles.includes(Role.ANONYMOUS);
  return pathParameters.length > 0 || (rule.plane !== Plane.ADMINISTRATION && !isAnonymous);
}

/** Inference itself is open to one role; explaining it is open to several. */
function runsInference({ rule }: Operation): boolean {
  return (rule.plane === Plane.INFERENCE && rule.roles.length === 1) || rule.plane === Plane.BATCHES;
}

/** The results of a batch: the provider stores them, and the batch may not have ended yet. */
function readsResults({ method }: Operation): boolean {
  return method.methodKind === 'server_streaming';
}

function changesAccount({ httpMethod, rule }: Operation): boolean {
  const onlyManagers = rule.roles.length === 1 && rule.roles.includes(Role.MANAGEMENT_KEY);
  return rule.plane === Plane.ADMINISTRATION && onlyManagers && httpMethod !== 'GET';
}

function isLimited(operation: Operation): boolean {
  return operation.rule.plane === Plane.ADMINISTRATION || runsInference(operation);
}
