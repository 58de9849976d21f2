/** Checks the gateway's real answers against its OpenAPI document. */
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileOperations } from '../../src/rest/compile.js';
import type { Operation } from '../../src/rest/operation.js';
import { badRequest, batchCatalog, GEMINI, request } from '../batch/world.js';
import { embeddingModel, rerankModel, testCatalog } from '../support/catalog.js';
import { type FakeGoogle, startFakeGoogle } from '../support/fakes/fake-google-storage.js';
import { launchGateway } from '../support/gateway.js';
import { asObject, schemaViolations } from '../support/json-schema.js';
import { contentOf, publishedAnswer } from './published.js';

let google: FakeGoogle;
let gateway: Awaited<ReturnType<typeof launchGateway>>;
let operations: readonly Operation[];
let document: JsonObject;
const called = new Set<string>();

beforeAll(async () => {
  google = await startFakeGoogle();
  google.jobs.plan = { looks: 1 };
  const [own, batches] = [testCatalog(), batchCatalog(google.origin)];
  gateway = await launchGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [...own.providers, ...batches.providers.slice(0, 1)],
      models: [
        ...own.models,
        embeddingModel('test/embed', ['a']),
        rerankModel('test/rerank', ['a']),
        ...batches.models.slice(0, 1),
      ],
    },
  });
  operations = compileOperations(gateway.gateway.services.map(({ service }) => service));
  document = asObject(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
});
afterAll(async () => {
  await gateway.stop();
  await google.stop();
});

interface Call {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: JsonObject;
  readonly credential?: string;
}

/** Headers that only some answers have. */
const SOMETIMES: ReadonlySet<string> = new Set(['X-Byway-Adapted', 'X-Byway-Cache', 'X-Byway-Remaining-Usd']);

/** Calls the operation, checks the answer against the OpenAPI document, and returns its body. */
async function call(id: string, status: number, { path = {}, query = '', body, credential }: Call = {}) {
  const operation = operations.find((candidate) => candidate.id === id);
  if (operation === undefined) throw new Error(`no operation ${id}`);
  const place = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '');
  const response = await fetch(`${gateway.rest}${place}${query}`, {
    method: operation.httpMethod,
    headers: {
      ...(credential !== '' && { authorization: `Bearer ${credential ?? gateway.managementKey}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect([id, response.status, text]).toEqual([id, status, text]);
  const answer = publishedAnswer(document, operation, status);
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  const pieces = piecesOf(type, text);
  for (const piece of pieces) {
    const violations = schemaViolations(
      document,
      contentOf(answer, type).schema,
      JSON.parse(piece) as JsonValue,
    );
    expect([id, violations]).toEqual([id, []]);
  }
  for (const name of Object.keys(asObject(answer?.headers))) {
    if (!SOMETIMES.has(name)) expect([id, name, response.headers.has(name)]).toEqual([id, name, true]);
  }
  if (response.ok) called.add(id);
  return asObject(JSON.parse(pieces[0] ?? 'null'));
}

function piecesOf(type: string, text: string): string[] {
  if (type === 'text/event-stream') return eventsOf(text);
  return type === 'application/jsonl' ? text.trimEnd().split('\n') : [text];
}

function eventsOf(text: string): string[] {
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => data ?? '');
}

function textOf(record: JsonValue | undefined, name: string): string {
  return String(asObject(record)[name]);
}

describe('every answer matches the OpenAPI document', () => {
  it('for keys and their clients', async () => {
    const created = await call('CreateKey', 201, {
      body: { name: 'New', limit: 5, limit_reset: 'daily', end_user_limit: 2 },
    });
    const path = { hash: textOf(created.data, 'hash') };
    await call('GetKey', 200, { path });
    await call('UpdateKey', 200, { path, body: { limit: null, cache_ttl: 60 } });
    await call('ListKeys', 200);
    await call('GetCurrentKey', 200, { credential: gateway.apiKey });
    await call('ListKeyEndUsers', 200, { path });
    await call('DeleteKey', 200, { path });
    await call('DeleteCache', 200);
    const client = await call('CreateClient', 201, { body: { name: 'Application' } });
    await call('ListClients', 200);
    await call('DeleteClient', 200, { path: { id: textOf(client.data, 'id') } });
  });

  it('for BYOK keys', async () => {
    const body = { provider: 'a', key: 'a-credential-of-some-length', allowed_models: ['test/m1'] };
    const created = await call('CreateByokKey', 201, { body });
    const path = { id: textOf(created.data, 'id') };
    await call('GetByokKey', 200, { path });
    await call('UpdateByokKey', 200, { path, body: { name: 'Mine', declared_zdr: false } });
    await call('ListByokKeys', 200);
    await call('TestByokKey', 200, { path });
    await call('DeleteByokKey', 200, { path });
  });

  it('for batches', async () => {
    const key = { provider: 'google-vertex', key: google.serviceAccount() };
    const { data } = await call('CreateByokKey', 201, { body: key });
    const body = { model: GEMINI, requests: [request('a'), badRequest('b')] } as JsonObject;
    const created = await call('CreateBatch', 201, { body });
    const path = { id: textOf(created.data, 'id') };
    let { status } = asObject(created.data);
    while (status !== 'completed')
      ({ status } = asObject((await call('GetBatch', 200, { path })).data ?? null));
    await call('ListBatches', 200);
    await call('StreamBatchResults', 200, { path });
    await call('StreamBatchResults', 404, { path: { id: 'x' } });
    await call('DeleteByokKey', 200, { path: { id: textOf(data, 'id') } });
    await call('CreateBatch', 400, { body });
  });

  it('for models, routes, chats and generations', async () => {
    const credential = gateway.apiKey;
    await call('ListModels', 200, { credential: '' });
    await call('ListModels', 200, { credential: '', query: '?client_version=0.171.0' });
    await call('ListUserModels', 200, { credential, query: '?limit=1' });
    await call('GetModel', 200, { path: { author: 'test', slug: 'm1' } });
    await call('DescribeModel', 200, { path: { id: 'test%2Fm1' } });
    await call('CountModels', 200, { query: '?output_modalities=text' });
    await call('ListEmbeddingModels', 200);
    await call('ListZdrEndpoints', 200);
    await call('ListModelEndpoints', 200, { path: { author: 'test', slug: 'm1' } });
    await call('ListProviders', 200);
    const body = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
    await call('ExplainRoute', 200, { credential, body: { ...body, provider: { only: ['a', 'nobody'] } } });
    const chat = await call('CreateChatCompletion', 200, { credential, body });
    await call('CreateChatCompletion', 200, { credential, body: { ...body, stream: true } });
    const message = { ...body, max_tokens: 64 };
    await call('CreateMessage', 200, { credential, body: message });
    await call('CreateMessage', 200, { credential, body: { ...message, stream: true } });
    const completion = { model: 'test/m1', prompt: 'Hello' };
    await call('CreateCompletion', 200, { credential, body: completion });
    await call('CreateCompletion', 200, { credential, body: { ...completion, stream: true } });
    await call('CreateEmbeddings', 200, { credential, body: { model: 'test/embed', input: ['Hello'] } });
    const reranking = { model: 'test/rerank', query: 'Hello', documents: ['Hello', { text: 'a' }] };
    await call('Rerank', 200, { credential, body: reranking });
    await call('CountTokens', 200, { credential, body });
    const response = { model: 'test/m1', input: 'Hello' };
    await call('CreateResponse', 200, { credential, body: response });
    await call('CreateResponse', 200, { credential, body: { ...response, stream: true } });
    await call('CountInputTokens', 200, { credential, body: response });
    await call('GetGeneration', 200, { query: `?id=${String(chat.id)}` });
    await call('GetReceipt', 200, { query: `?id=${String(chat.id)}` });
    await call('ListGenerations', 200);
    await call('ExportGenerations', 200);
    await call('ExportGenerations', 400, { query: '?format=xml' });
    await call('ListActivity', 200);
    await call('ListRuns', 200);
    await call('GetCredits', 200);
  });

  it('for workspaces, guardrails and preferences', async () => {
    const workspace = await call('CreateWorkspace', 201, { body: { name: 'New', slug: 'new' } });
    const path = { id: textOf(workspace.data, 'id'), interval: 'daily' };
    await call('GetWorkspace', 200, { path });
    await call('UpdateWorkspace', 200, { path, body: { description: null } });
    await call('ListWorkspaces', 200);
    await call('AddWorkspaceMembers', 200, { path, body: { user_ids: ['user_1'] } });
    await call('ListWorkspaceMembers', 200, { path });
    await call('RemoveWorkspaceMembers', 200, { path, body: { user_ids: ['user_1'] } });
    await call('PutWorkspaceBudget', 200, { path, body: { limit_usd: 5 } });
    await call('GetWorkspaceBudget', 200, { path });
    await call('ListWorkspaceBudgets', 200, { path });
    await call('DeleteWorkspaceBudget', 200, { path });
    await call('DeleteWorkspace', 200, { path });
    await call('UpdatePreferences', 200, { body: { default_sort: 'price', ignored_providers: ['c'] } });
    await call('GetPreferences', 200);
    const guardrail = await call('CreateGuardrail', 201, { body: { name: 'New', limit_usd: 5 } });
    const of = { id: textOf(guardrail.data, 'id') };
    const keys = { key_hashes: [gateway.apiKeyHash] };
    const members = { member_user_ids: [gateway.ownerUserId] };
    await call('GetGuardrail', 200, { path: of });
    await call('UpdateGuardrail', 200, { path: of, body: { limit_usd: null } });
    await call('ListGuardrails', 200);
    await call('AssignGuardrailKeys', 200, { path: of, body: keys });
    await call('ListGuardrailKeys', 200, { path: of });
    await call('ListKeyAssignments', 200);
    await call('UnassignGuardrailKeys', 200, { path: of, body: keys });
    await call('AssignGuardrailMembers', 200, { path: of, body: members });
    await call('ListGuardrailMembers', 200, { path: of });
    await call('ListMemberAssignments', 200);
    await call('ListOrganizationMembers', 200);
    await call('UnassignGuardrailMembers', 200, { path: of, body: members });
    await call('DeleteGuardrail', 200, { path: of });
  });

  it('for failures', async () => {
    await call('CreateKey', 400, { body: { nome: 'New', limit: -1 } });
    await call('GetKey', 401, { path: { hash: 'x' }, credential: '' });
    await call('GetKey', 403, { path: { hash: 'x' }, credential: gateway.apiKey });
    await call('GetKey', 404, { path: { hash: 'x' } });
    await call('CreateMessage', 400, { credential: gateway.apiKey, body: { model: 'nothing' } });
    await call('CreateResponse', 400, { credential: gateway.apiKey, body: { model: 'nothing' } });
    await call('CreateChatCompletion', 400, { credential: gateway.apiKey, body: { model: 'nothing' } });
  });

  it('and no operation is forgotten here', () => {
    expect(operations.map(({ id }) => id).filter((id) => !called.has(id))).toEqual([]);
  });
});
