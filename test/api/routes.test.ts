import type { DescService } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { Role } from '../../gen/byway/options/v1/options_pb.js';
import { Health } from '../../gen/grpc/health/v1/health_pb.js';
import { ServerReflection } from '../../gen/grpc/reflection/v1/reflection_pb.js';
import { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.js';
import { compileOperations } from '../../src/rest/compile.js';
import { startGateway } from '../support/gateway.js';

/** Every REST operation and who may call it. A change here is a change of the contract. */
const OPERATIONS = [
  'GET /api/v1/activity: management key',
  'GET /api/v1/batches: management key',
  'POST /api/v1/batches: management key',
  'GET /api/v1/batches/{id}: management key',
  'GET /api/v1/batches/{id}/results: management key',
  'GET /api/v1/byok: management key',
  'POST /api/v1/byok: management key',
  'GET /api/v1/byok/{id}: management key',
  'PATCH /api/v1/byok/{id}: management key',
  'DELETE /api/v1/byok/{id}: management key',
  'POST /api/v1/byok/{id}/test: management key',
  'POST /api/v1/chat/completions: api key',
  'POST /api/v1/messages: api key',
  'POST /api/v1/messages/count_tokens: api key',
  'GET /api/v1/clients: management key',
  'POST /api/v1/clients: management key',
  'DELETE /api/v1/clients/{id}: management key',
  'GET /api/v1/credits: management key',
  'GET /api/v1/generation: api key, management key',
  'GET /api/v1/generations: management key',
  'GET /api/v1/generations/export: management key',
  'GET /api/v1/guardrails: management key',
  'POST /api/v1/guardrails: management key',
  'GET /api/v1/guardrails/{id}: management key',
  'PATCH /api/v1/guardrails/{id}: management key',
  'DELETE /api/v1/guardrails/{id}: management key',
  'GET /api/v1/guardrails/{id}/assignments/keys: management key',
  'POST /api/v1/guardrails/{id}/assignments/keys: management key',
  'POST /api/v1/guardrails/{id}/assignments/keys/remove: management key',
  'GET /api/v1/guardrails/{id}/assignments/members: management key',
  'POST /api/v1/guardrails/{id}/assignments/members: management key',
  'POST /api/v1/guardrails/{id}/assignments/members/remove: management key',
  'GET /api/v1/key: api key',
  'GET /api/v1/keys: management key, client secret',
  'POST /api/v1/keys: management key, client secret',
  'GET /api/v1/keys/{hash}: management key, client secret',
  'PATCH /api/v1/keys/{hash}: management key, client secret',
  'DELETE /api/v1/keys/{hash}: management key, client secret',
  'GET /api/v1/models: anybody',
  'GET /api/v1/models/user: api key',
  'GET /api/v1/models/{author}/{slug}: anybody',
  'GET /api/v1/models/{author}/{slug}/endpoints: anybody',
  'GET /api/v1/models/{id}: anybody',
  'GET /api/v1/preferences: management key',
  'PATCH /api/v1/preferences: management key',
  'GET /api/v1/providers: anybody',
  'POST /api/v1/routing/explain: api key, management key',
  'GET /api/v1/workspaces: management key',
  'POST /api/v1/workspaces: management key',
  'GET /api/v1/workspaces/{id}: management key',
  'PATCH /api/v1/workspaces/{id}: management key',
  'DELETE /api/v1/workspaces/{id}: management key',
  'GET /api/v1/workspaces/{id}/budgets: management key',
  'GET /api/v1/workspaces/{id}/budgets/{interval}: management key',
  'PUT /api/v1/workspaces/{id}/budgets/{interval}: management key',
  'DELETE /api/v1/workspaces/{id}/budgets/{interval}: management key',
  'GET /api/v1/workspaces/{id}/members: management key',
  'POST /api/v1/workspaces/{id}/members/add: management key',
  'POST /api/v1/workspaces/{id}/members/remove: management key',
];

/** The routes at the root of the server: for everybody, but `/metrics` for operator keys. */
const OTHERS = ['GET /healthz', 'GET /metrics', 'GET /openapi.json', 'GET /readyz'];

it('the REST operations are those of the contract, for the callers that it names', async () => {
  const { gateway } = await startGateway();
  const operations = compileOperations(gateway.services.map(({ service }) => service));
  const lines = operations.map(
    ({ httpMethod, path, rule }) => `${httpMethod} /api/v1${path}: ${rule.roles.map(nameOf).join(', ')}`,
  );
  expect(lines.sort()).toEqual([...OPERATIONS].sort());
});

it('the server has a route for each of them, for each RPC, and no other', async () => {
  const { gateway, server } = await startGateway();
  const services = gateway.services.map(({ service }) => service);
  const rpcs = [...services, Health, ServerReflection, ServerReflectionAlpha].flatMap(rpcPaths);
  const operations = OPERATIONS.map((line) => line.slice(0, line.indexOf(':')));
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

function nameOf(role: Role): string {
  return role === Role.ANONYMOUS ? 'anybody' : (Role[role] ?? '').toLowerCase().replace('_', ' ');
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
