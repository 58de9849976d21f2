import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../base/problem.js';
import { mistakeOf } from './base-urls.js';
import { type Operation, REST_ROOT } from './operation.js';

/** The methods that a path takes, in the order of the operations; empty for an unknown path. */
export type AllowedMethods = (path: string) => readonly string[];

/** Finds the methods of the operations at a path, which is that of a request line without the query. */
export function allowedMethods(operations: readonly Operation[]): AllowedMethods {
  const patterns = operations.map(({ path, httpMethod }) => ({ pattern: pathPattern(path), httpMethod }));
  return (path) => {
    const found = patterns.filter(({ pattern }) => pattern.test(path)).map(({ httpMethod }) => httpMethod);
    return [...new Set(found.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
  };
}

/**
 * An onRequest hook that refuses what no route takes, before authentication and before the body is read: 404 for an
 * unknown path, which says what was probably meant, 405 with `Allow` for a wrong method.
 */
export function refuseUnknownPaths(allowed: AllowedMethods, baseUrlOf: (request: FastifyRequest) => string) {
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    if (!request.is404 && !hasEmptyVariable(request)) {
      done();
      return;
    }
    const [path = ''] = request.url.split('?', 1);
    const methods = allowed(path);
    if (methods.length > 0) reply.header('Allow', methods.join(', '));
    if (methods.length > 0) {
      done(new Problem('method_not_allowed', 'Method not allowed'));
      return;
    }
    const { reason, message } = mistakeOf(path, (known) => allowed(known).length > 0, baseUrlOf(request));
    done(new Problem(reason, message));
  };
}

/** The router lets a path variable be empty, but `/keys/` is not the path of a key. */
function hasEmptyVariable({ params }: FastifyRequest): boolean {
  return Object.values(params ?? {}).includes('');
}

function pathPattern(path: string): RegExp {
  const segments = path
    .split('/')
    .map((segment) => (segment.startsWith('{') ? '[^/]+' : segment.replaceAll('.', '\\.')));
  return new RegExp(`^${REST_ROOT}${segments.join('/')}$`);
}
