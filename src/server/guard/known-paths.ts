import type { FastifyInstance } from 'fastify';
import type { AllowedMethods } from '../../rest/not-found.js';
import type { RpcPath } from './request-guard.js';

/** What tells the methods of paths that are not all routes of their own. */
interface PathDependencies {
  readonly operations: AllowedMethods;
  readonly rpcPaths: ReadonlyMap<string, RpcPath>;
}

/**
 * The methods of every path that is something on this server: operations, RPCs, and the routes without variables that
 * are registered on it from now on.
 */
export function knownPaths(
  server: FastifyInstance,
  { operations, rpcPaths }: PathDependencies,
): AllowedMethods {
  const routes = new Map<string, string[]>();
  server.addHook('onRoute', ({ url, method }) => {
    routes.set(url, [...(routes.get(url) ?? []), ...[method].flat()]);
  });
  return (path) => {
    const rpc = rpcPaths.get(path);
    if (rpc !== undefined) return rpc.httpMethods;
    return [...new Set([...operations(path), ...(routes.get(path) ?? [])])];
  };
}
