import type { FastifyRequest } from 'fastify';
import { Api } from '../../gen/byway/options/v1/options_pb.js';
import { type ApiConventions, type Apis, conventionsOf } from '../http/api-conventions.js';
import { type Operation, REST_ROOT } from './operation.js';

/** The conventions that a request's clients expect; undefined = this gateway's own. */
export type ConventionsOfRequest = (request: FastifyRequest) => ApiConventions | undefined;

/**
 * The conventions of the operation's API. A request for no operation gets those of the API whose operations are at or
 * above its path, else of the API whose clients it comes from.
 */
export function apiOfRequests(operations: readonly Operation[], apis: Apis): ConventionsOfRequest {
  const roots = operations
    .filter(({ rule, pathParameters }) => rule.api !== Api.UNSPECIFIED && pathParameters.length === 0)
    .map(({ path, rule }) => ({ path: REST_ROOT + path, conventions: conventionsOf(apis, rule.api) }));
  const all = Object.values(apis);
  return ({ routeOptions, url, headers }) => {
    const { operation } = routeOptions.config;
    if (operation !== undefined) return conventionsOf(apis, operation.rule.api);
    const [path = ''] = url.split('?', 1);
    const root = roots.find((one) => path === one.path || path.startsWith(`${one.path}/`));
    if (root !== undefined) return root.conventions;
    return all.find(({ clientHeader }) => clientHeader !== undefined && headers[clientHeader] !== undefined);
  };
}
