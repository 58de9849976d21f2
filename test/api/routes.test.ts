import { readFileSync, writeFileSync } from 'node:fs';
import type { DescService } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { Health } from '../../gen/grpc/health/v1/health_pb.js';
import { ServerReflection } from '../../gen/grpc/reflection/v1/reflection_pb.js';
import { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.js';
import { compileOperations } from '../../src/rest/compile.js';
import { startGateway } from '../support/gateway.js';
import { operationsTable } from './operations-table.js';

const PAGE = 'docs/compatibility.md';

/** The routes at the root of the server: for everybody, but `/metrics` for operator keys. */
const OTHERS = ['GET /healthz', 'GET /metrics', 'GET /openapi.json', 'GET /readyz'];

it('the documentation lists the operations of the contract and who may call them; UPDATE_GOLDEN=1 writes the table anew', async () => {
  const { gateway } = await startGateway();
  const table = operationsTable(compileOperations(gateway.services.map(({ service }) => service)));
  const written = readFileSync(PAGE, 'utf8').replace(TABLE, () => `## Operations\n\n${table}\n\n`);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(PAGE, written);
  expect(readFileSync(PAGE, 'utf8')).toBe(written);
});

const TABLE = /## Operations\n\n(?:\|.*\n)+\n/;

it('the server has a route for each of them, for each RPC, and no other', async () => {
  const { gateway, server } = await startGateway();
  const services = gateway.services.map(({ service }) => service);
  const rpcs = [...services, Health, ServerReflection, ServerReflectionAlpha].flatMap(rpcPaths);
  const operations = compileOperations(services).map(
    ({ httpMethod, path }) => `${httpMethod} /api/v1${path}`,
  );
  expect(
    routesOf(server.printRoutes({ commonPrefix: false }))
      .map(withoutNames)
      .sort(),
  ).toEqual([...operations, ...OTHERS, ...rpcs].map(withoutNames).sort());
});

/** Where two paths have a variable at the same place, Fastify prints the names that it has in either. */
function withoutNames(route: string): string {
  return route.replace(/\{[^/]+\}/g, '{}');
}

function rpcPaths({ typeName, methods }: DescService): string[] {
  return methods.map(({ name }) => `RPC /${typeName}/${name}`);
}

/**
 * The routes in the tree that Fastify prints: HEAD goes with GET, and RPCs accept POST, or any method to refuse all
 * others.
 */
function routesOf(tree: string): string[] {
  const above: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const match = /^(.*)[├└]── (\S+) \((.*)\)$/.exec(line);
    if (match === null) return [];
    const [, indent = '', segment = '', methods = ''] = match;
    const depth = indent.length / 4;
    above.splice(depth, above.length, `${above[depth - 1] ?? ''}${segment}`);
    const path = (above[depth] ?? '').replace(/:(\w+)/g, '{$1}');
    if (RPC.test(path) && /\b(?:POST|TRACE)\b/.test(methods)) return [`RPC ${path}`];
    return methods
      .split(', ')
      .filter((method) => method !== 'HEAD')
      .map((method) => `${method} ${path}`);
  });
}

const RPC = /^\/\w+(?:\.\w+)+\/\w+$/;
