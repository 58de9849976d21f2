import type { FastifyRequest } from 'fastify';
import { Dialect } from '../../gen/byway/options/v1/options_pb.js';
import { type Operation, REST_ROOT } from './operation.js';

/** Whose conventions a request follows. */
export type DialectOf = (request: FastifyRequest) => Dialect;

/** Every request of Anthropic's clients has it. */
const ANTHROPIC_VERSION = 'anthropic-version';

/**
 * That of the operation; where a request is for none, that of the operations at or above its path, else that whose clients it
 * comes from.
 */
export function dialects(operations: readonly Operation[]): DialectOf {
  const roots = operations
    .filter(({ rule, pathParameters }) => rule.dialect !== Dialect.UNSPECIFIED && pathParameters.length === 0)
    .map(({ path, rule }) => ({ path: REST_ROOT + path, dialect: rule.dialect }));
  return ({ routeOptions, url, headers }) => {
    const { operation } = routeOptions.config;
    if (operation !== undefined) return operation.rule.dialect;
    const [path = ''] = url.split('?', 1);
    const root = roots.find((one) => path === one.path || path.startsWith(`${one.path}/`));
    if (root !== undefined) return root.dialect;
    return headers[ANTHROPIC_VERSION] === undefined ? Dialect.UNSPECIFIED : Dialect.ANTHROPIC;
  };
}
