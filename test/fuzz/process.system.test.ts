import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DescService } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Role } from '../../gen/byway/options/v1/options_pb.js';
import { AccountService } from '../../gen/byway/v1/accounts_pb.js';
import { BatchService } from '../../gen/byway/v1/batches_pb.js';
import { ByokService } from '../../gen/byway/v1/byok_pb.js';
import { ChatService } from '../../gen/byway/v1/chat_pb.js';
import { GenerationService } from '../../gen/byway/v1/generations_pb.js';
import { GuardrailService } from '../../gen/byway/v1/guardrails_pb.js';
import { KeyService } from '../../gen/byway/v1/keys_pb.js';
import { ModelService } from '../../gen/byway/v1/models_pb.js';
import { RoutingService } from '../../gen/byway/v1/routing_pb.js';
import { WorkspaceService } from '../../gen/byway/v1/workspaces_pb.js';
import { testCatalog } from '../support/catalog.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import type { KnownNames } from './arbitraries.js';
import { type Call, TRANSPORTS, targets } from './calls.js';
import { type Ending, type Exchange, isServerError, openExchange } from './exchange.js';
import { type WatchedFile, watchFile } from './watched-file.js';

/** 100,000 in `npm run fuzz`. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 5_000);

/** Determines all requests. */
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);

/** After this many requests the named records are created anew, since some have been deleted. */
const ROUND = 2_500;

/** How often a refused call is repeated to see whether it was the one that wrote. */
const REPEATS = 3;

const SERVICES: readonly DescService[] = [
  ModelService,
  KeyService,
  ByokService,
  AccountService,
  GuardrailService,
  WorkspaceService,
  RoutingService,
  ChatService,
  GenerationService,
  BatchService,
];

/** Targets that were answered with success. */
const answered = new Set<string>();

let folder: string;
let server: ServerProcess;
let file: WatchedFile;
let exchange: Exchange;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'byway-fuzz-'));
  const catalog = join(folder, 'catalog.json');
  writeFileSync(catalog, JSON.stringify(testCatalog()));
  const database = join(folder, 'byway.db');
  server = await startServerProcess({
    BYWAY_CATALOG: catalog,
    BYWAY_DATABASE_URL: `sqlite:${database}`,
    BYWAY_ADMIN_RATE_PER_MINUTE: '0',
  });
  file = watchFile(database);
  exchange = openExchange(server.port);
}, 120_000);
afterAll(async () => {
  exchange?.close();
  file?.close();
  expect(await server?.stop()).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});

describe('any call over any transport', () => {
  it(`is answered, never with a server error, and a refusal writes nothing (seed ${SEED})`, async () => {
    const defects: string[] = [];
    const counts = new Map<string, number>();
    for (let sent = 0; sent < REQUESTS; sent += ROUND) {
      const known = await knownThings();
      const calls = sampled(known, Math.min(ROUND, REQUESTS - sent), SEED + sent);
      for (const call of calls) {
        const defect = await tried(call, counts);
        if (defect !== undefined) defects.push(`${defect}\n${JSON.stringify(shown(call))}`);
      }
    }
    const summary = [...counts].map((entry) => entry.join(' ')).sort();
    process.stderr.write(`fuzz, seed ${SEED}: ${summary.join(', ')}; ${answered.size} targets answered\n`);
    expect(defects.slice(0, 10), `${defects.length} defects`).toEqual([]);
    for (const transport of TRANSPORTS) {
      expect(counts.get(`${transport} answered`) ?? 0).toBeGreaterThan(REQUESTS / 100);
      expect(counts.get(`${transport} refused`) ?? 0).toBeGreaterThan(REQUESTS / 100);
    }
    const health = await fetch(`http://127.0.0.1:${server.port}/readyz`);
    expect(health.status).toBe(200);
  }, 7_200_000);
});

/** The defect of the answer; undefined = none. */
async function tried(call: Call, counts: Map<string, number>): Promise<string | undefined> {
  const before = file.version();
  const ending = await exchange.send(call).catch((error: Error) => error);
  if (ending instanceof Error) return `no answer: ${ending.message}`;
  const isRefused = ending.code !== undefined || ending.status >= 400;
  const key = `${call.transport} ${isRefused ? 'refused' : 'answered'}`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
  if (!isRefused) answered.add(`${call.transport} ${call.target}`);
  if (isServerError(ending) && !isExpected(call, ending)) {
    return `${ending.status} ${ending.code} ${ending.reason} ${ending.text}`;
  }
  if (!isRefused || file.version() === before) return undefined;
  return (await hasWritten(call)) ? 'the refusal has written' : undefined;
}

/** Whether this call wrote, which then repeats; otherwise an earlier call did, whose records follow its answer. */
async function hasWritten(call: Call): Promise<boolean> {
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const before = file.digest();
    await exchange.send(call);
    if (file.digest() === before) return false;
  }
  return true;
}

/**
 * Server errors that the request itself causes: a short timeout, an unknown or undeclared encoding, a failing provider.
 */
function isExpected({ headers, body }: Call, { code, reason, status }: Ending): boolean {
  if (reason === 'upstream_failed' || reason === 'request_timeout') return true;
  const isUndeclared = code === 13 && reason === undefined && (body?.[0] ?? 0) % 2 === 1;
  const isUnknown = status === 501 && (headers['content-encoding'] ?? headers['grpc-encoding']) !== undefined;
  return isUndeclared || isUnknown;
}

/** `count` calls, evenly over all targets. */
function sampled(known: KnownNames, count: number, seed: number): Call[] {
  const all = targets(SERVICES, known);
  const each = Math.ceil(count / all.length);
  const calls = all.flatMap((target, index) => fc.sample(target, { numRuns: each, seed: seed + index }));
  return fc
    .sample(fc.shuffledSubarray(calls, { minLength: count, maxLength: count }), { numRuns: 1, seed })
    .flat();
}

function shown(call: Call): object {
  const { authorization = '', ...headers } = call.headers;
  return {
    ...call,
    headers: { ...headers, authorization: authorization.slice(0, 16) },
    body: call.body?.toString('base64'),
  };
}

interface Created {
  readonly data: { readonly id?: string; readonly hash?: string };
  readonly client_secret?: string;
}

/** Records to name in requests; the calling API key is not among them, or it would soon be deleted. */
async function knownThings(): Promise<KnownNames> {
  const post = async (path: string, body: object): Promise<Created> => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.managementKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([path, answer.status]).toEqual([path, 201]);
    return (await answer.json()) as Created;
  };
  // So that chats find a provider, whatever earlier requests have changed.
  await fetch(`http://127.0.0.1:${server.port}/api/v1/preferences`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${server.managementKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      allowed_providers: null,
      ignored_providers: null,
      data_collection: null,
      zdr: false,
    }),
  });
  const slug = `fuzz-${Math.random().toString(36).slice(2)}`;
  const [key, byok, guardrail, workspace, client] = [
    await post('/keys', { name: 'Fuzz' }),
    await post('/byok', { provider: 'a', key: 'demo-echo-0123456789abcdef' }),
    await post('/guardrails', { name: 'Fuzz' }),
    await post('/workspaces', { name: 'Fuzz', slug }),
    await post('/clients', { name: 'Fuzz' }),
  ];
  const hash = key.data.hash ?? '';
  const ids = [byok, guardrail, workspace, client].map(({ data }) => data.id ?? '');
  const byRole = {
    [Role.MANAGEMENT_KEY]: `Bearer ${server.managementKey}`,
    [Role.API_KEY]: `Bearer ${server.apiKey}`,
    [Role.CLIENT_SECRET]: `Bearer ${client.client_secret}`,
  };
  return {
    texts: [hash, ...ids, slug, 'user_fuzz', 'test/m1', 'test', 'm1', 'demo/echo', 'a', 'demo', 'user'],
    byName: {
      hash: [hash],
      api_key_hash: [hash],
      key_hashes: [hash],
      allowed_api_key_hashes: [hash],
      id: ids,
      workspace_id: [workspace.data.id ?? ''],
      byok_key_id: [byok.data.id ?? ''],
      provider: ['a', 'b'],
      key: ['demo-echo-0123456789abcdef'],
      interval: ['daily', 'monthly'],
      model: ['test/m1', 'demo/echo', 'test/m2'],
      allowed_models: ['test/m1'],
      author: ['test'],
      slug: ['m1', `${slug}-2`],
      name: ['Fuzz', 'x'],
      role: ['user', 'system'],
      text: ['Hello'],
    },
    credentials: Object.values(byRole),
    byRole,
  };
}
