import type { FastifyInstance } from 'fastify';
import type { AllowedMethods } from '../../rest/not-found.js';
import type { RpcPath } from './rpc-paths.js';

interface PathDependencies {
  readonly operations: AllowedMethods;
  readonly rpcPaths: ReadonlyMap<string, RpcPath>;
}

/**
 * The methods of every known path of the server: operations, RPCs, and the routes without variables that are registered
 * from now on.
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
