import { readFileSync, writeFileSync } from 'node:fs';
import type { JsonObject } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APIS } from '../../src/compose/apis.js';
import { compileOperations } from '../../src/rest/compile.js';
import { openApiDocument } from '../../src/rest/openapi/document.js';
import type { Operation } from '../../src/rest/operation.js';
import { launchGateway, startGateway } from '../support/gateway.js';
import { asObject } from '../support/json-schema.js';
import { published } from './published.js';

const GOLDEN = new URL('golden/openapi.json', import.meta.url);

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let operations: readonly Operation[];
let document: JsonObject;

beforeAll(async () => {
  gateway = await launchGateway();
  operations = compileOperations(gateway.gateway.services.map(({ service }) => service));
  document = asObject(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
});
afterAll(() => gateway.stop());

describe('GET /openapi.json', () => {
  it('is the reviewed golden file; UPDATE_GOLDEN=1 npx vitest run test/api/openapi.test.ts writes it anew', () => {
    const text = `${JSON.stringify(document, null, 2)}\n`;
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(GOLDEN, text);
    expect(text === readFileSync(GOLDEN, 'utf8') || firstDifference(text)).toBe(true);
  });

  it('describes every operation of the contract and those of the server itself, and no other', () => {
    const described = Object.entries(asObject(document.paths)).flatMap(([path, methods]) =>
      Object.entries(asObject(methods)).map(
        ([method, operation]) => `${method} ${path} ${String(asObject(operation).operationId)}`,
      ),
    );
    const compiled = operations.map(
      ({ httpMethod, path, method }) => `${httpMethod.toLowerCase()} /api/v1${path} ${method.localName}`,
    );
    const system = ['get /healthz getHealth', 'get /metrics getMetrics', 'get /readyz getReadiness'];
    expect(described.sort()).toEqual([...compiled, ...system].sort());
  });

  it('needs no credential, but one that is sent must be valid', async () => {
    const statusWith = async (authorization: string) =>
      (await fetch(`${gateway.url}/openapi.json`, { headers: { authorization } })).status;
    expect(await statusWith(`Bearer ${gateway.apiKey}`)).toBe(200);
    expect(await statusWith(`Bearer ${gateway.managementKey}`)).toBe(200);
    expect(await statusWith('Bearer bw-v1-unknown')).toBe(401);
  });

  it('accepts no other method', async () => {
    const { status, headers } = await fetch(`${gateway.url}/openapi.json`, { method: 'POST' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('can be cached and revalidated', async () => {
    const { headers, status } = await fetch(`${gateway.url}/openapi.json`, { method: 'HEAD' });
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, no-cache']);
    const etag = headers.get('etag') ?? '';
    const again = await fetch(`${gateway.url}/openapi.json`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('names the public URL as its server', async () => {
    const { url } = await startGateway({ env: { BYWAY_PUBLIC_URL: 'https://ai.example.com/gateway/' } });
    const { servers } = asObject(JSON.parse(await (await fetch(`${url}/openapi.json`)).text()));
    expect(servers).toEqual([{ url: 'https://ai.example.com/gateway' }]);
    expect(document.servers).toEqual([{ url: '/' }]);
  });

  it('does not depend on the order of the services', () => {
    const services = gateway.gateway.services.map(({ service }) => service).reverse();
    expect(JSON.stringify(openApiDocument(compileOperations(services), APIS, new Map()))).toBe(
      JSON.stringify(document),
    );
  });
});

describe('the description of an operation', () => {
  const find = (id: string) => {
    const operation = operations.find((candidate) => candidate.id === id);
    if (operation === undefined) throw new Error(`no operation ${id}`);
    return published(document, operation);
  };
  const statuses = (id: string) => Object.keys(asObject(find(id).responses)).join(' ');

  it('says who may call it', () => {
    expect(find('UpdateKey').security).toEqual([{ managementKey: [] }, { clientSecret: [] }]);
    expect(find('ListUserModels').security).toEqual([{ apiKey: [] }]);
    expect(find('ListModels').security).toEqual([
      {},
      { apiKey: [] },
      { managementKey: [] },
      { clientSecret: [] },
      { operatorKey: [] },
    ]);
  });

  it('lists every status that it answers with', () => {
    expect(statuses('ListUserModels')).toBe('200 304 400 401 403 404 500 default');
    expect(statuses('UpdateKey')).toBe('200 400 401 403 404 413 415 429 500 default');
    expect(statuses('CreateByokKey')).toBe('201 400 401 403 409 413 415 429 500 default');
    expect(statuses('CreateChatCompletion')).toBe('200 400 401 402 403 404 413 415 429 500 502 default');
    expect(statuses('ExplainRoute')).toBe('200 400 401 403 404 413 415 500 default');
  });

  it('has the rate limit headers on the answers that carry them', () => {
    const headersOf = (id: string) =>
      Object.keys(asObject(asObject(asObject(find(id).responses)[200]).headers));
    expect(headersOf('ListKeys')).toEqual([
      ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'],
    ]);
    expect(headersOf('ListModels')).toEqual(['ETag', 'X-Request-Id']);
  });

  it('has the formats and limits that are enforced', () => {
    expect(find('ListActivity').parameters).toMatchObject([
      { name: 'offset', schema: { type: ['integer', 'null'], minimum: 0 } },
      { name: 'limit' },
      { name: 'from', schema: { format: 'date' } },
      { name: 'to', schema: { format: 'date' } },
      ...[{ name: 'api_key_hash' }, { name: 'workspace_id' }, { name: 'group_by' }],
      { name: 'date', schema: { format: 'date' } },
    ]);
    const { CreateByokKeyRequest, CreateKeyRequest, UpdatePreferencesBody } = asObject(
      asObject(document.components).schemas,
    );
    expect(asObject(asObject(CreateByokKeyRequest).properties).allowed_api_key_hashes).toMatchObject({
      type: ['array', 'null'],
      minItems: 1,
      maxItems: 100,
      items: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    });
    expect(asObject(asObject(UpdatePreferencesBody).properties).ignored_providers).toMatchObject({
      maxItems: 1000,
      items: { minLength: 1, maxLength: 255 },
    });
    expect(asObject(asObject(CreateKeyRequest).properties).expires_at).toMatchObject({ format: 'date-time' });
  });

  it('has the limits of its parameters', () => {
    expect(find('ListUserModels').parameters).toMatchObject([
      { name: 'offset', in: 'query', schema: { type: ['integer', 'null'], minimum: 0 } },
      { name: 'limit', in: 'query', schema: { type: ['integer', 'null'], minimum: 1, maximum: 1000 } },
      { name: 'available', in: 'query' },
      { name: 'output_modalities', in: 'query' },
      { $ref: '#/components/parameters/If-None-Match' },
    ]);
  });

  it('has the headers that say for whom inference spends, and how much at most', () => {
    const { parameters } = asObject(document.components);
    for (const id of ['CreateChatCompletion', 'CreateMessage', 'ExplainRoute']) {
      expect(find(id).parameters, id).toEqual([
        { $ref: '#/components/parameters/X-Byway-Run' },
        { $ref: '#/components/parameters/X-Byway-Run-Limit-Usd' },
        { $ref: '#/components/parameters/X-Byway-End-User' },
      ]);
    }
    expect(find('CreateKey').parameters).toBeUndefined();
    expect(parameters).toMatchObject({
      'X-Byway-Run': { in: 'header', schema: { minLength: 1, maxLength: 128 } },
      'X-Byway-Run-Limit-Usd': { in: 'header', schema: { type: 'string' } },
      'X-Byway-End-User': { in: 'header', schema: { maxLength: 256 } },
    });
  });

  it('says that a chat may be streamed', () => {
    const success = asObject(asObject(find('CreateChatCompletion').responses)[200]);
    expect(Object.keys(asObject(success.content))).toEqual(['application/json', 'text/event-stream']);
    expect(success.headers).toHaveProperty('X-Generation-Id');
  });
});

/** The first line that differs: a golden file of thousands of lines is no help in a message. */
function firstDifference(text: string): string {
  const golden = readFileSync(GOLDEN, 'utf8').split('\n');
  const lines = text.split('\n');
  const index = lines.findIndex((line, at) => line !== golden[at]);
  return `line ${index + 1}: ${golden[index] ?? 'nothing'} became ${lines[index] ?? 'nothing'}`;
}
