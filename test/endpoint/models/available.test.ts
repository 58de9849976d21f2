/** The query `available` of model lists: docs/routing.md#available-models. */
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ModelService } from '../../../gen/byway/v1/models_pb.js';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { launchGateway, type TestAccount } from '../../support/gateway.js';
import {
  type Answer,
  bodyOf,
  type Call,
  caller,
  type Row,
  recordOf,
  refusalOf,
  send,
} from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let account: TestAccount;
let use: Call;
let manage: Call;

beforeAll(async () => {
  gateway = await launchGateway({
    catalog: {
      providers: [
        demoProvider('a'),
        { slug: 'keyless', name: 'Keyless', adapter: 'openai' },
        { slug: 'other', name: 'Other', adapter: 'openai' },
      ],
      models: [
        demoModel('test/shared', ['a']),
        demoModel('test/keyless', ['keyless']),
        demoModel('test/other', ['other']),
        { id: '~test/alias', alias_target: { slug: 'test/keyless' } },
      ],
    },
  });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  account = await gateway.addAccount();
  use = caller(gateway, account.apiKey);
  manage = caller(gateway, account.managementKey);
});

const modelsOf = (answer: Answer) => (bodyOf(answer) as unknown as { data: Row[] }).data;
const availability = (answer: Answer) =>
  Object.fromEntries(modelsOf(answer).map(({ id, available }) => [id, available]));
const idsOf = (answer: Answer) =>
  modelsOf(answer)
    .map(({ id }) => id)
    .toSorted();

const addKey = (members: object = {}) =>
  manage('POST', '/byok', { provider: 'keyless', key: 'sk-0123456789abcdef0123', ...members }).then(recordOf);

const LISTS = ['/models/user', '/models'];

describe.each(LISTS)('GET %s', (path) => {
  it('says of each model whether shared capacity or an own key could answer now', async () => {
    expect(availability(await use('GET', `${path}?available=false`))).toEqual({
      'test/shared': true,
      'test/keyless': false,
      'test/other': false,
      '~test/alias': false,
    });
    const { id } = await addKey();
    expect(availability(await use('GET', `${path}?available=false`))).toMatchObject({
      'test/keyless': true,
      '~test/alias': true,
      'test/other': false,
    });
    await manage('PATCH', `/byok/${id}`, { disabled: true });
    expect(availability(await use('GET', `${path}?available=false`))).toMatchObject({
      'test/keyless': false,
    });
  });

  it('with true lists only those that can answer, counts them, and keeps the query in links', async () => {
    await addKey();
    const answer = await use('GET', `${path}?available=true`);
    expect(idsOf(answer)).toEqual(['test/keyless', 'test/shared', '~test/alias']);
    expect(bodyOf(answer).total_count).toBe(3);
    const { links } = bodyOf(await use('GET', `${path}?available=true&limit=1`)) as { links: Row };
    expect(links.next).toBe(`${gateway.url}/api/v1${path}?available=true&offset=1&limit=1`);
  });

  it('is no-store, without ETag; without the query it is as it was, and says nothing of it', async () => {
    const asked = await use('GET', `${path}?available=true`, undefined, { 'if-none-match': '*' });
    expect([asked.status, asked.headers['cache-control'], asked.headers.etag]).toEqual([
      200,
      'no-store',
      undefined,
    ]);
    const plain = await use('GET', path);
    expect(plain.headers.etag).toBeDefined();
    expect(modelsOf(plain)).toHaveLength(4);
    expect(modelsOf(plain).some((model) => 'available' in model)).toBe(false);
  });

  it('is about the caller: filters of keys, guardrails, credits', async () => {
    await addKey({ allowed_models: ['test/other'] });
    expect(idsOf(await use('GET', `${path}?available=true`))).toEqual(['test/shared']);
    await addKey({ allowed_api_key_hashes: [account.apiKeyHash] });
    expect(idsOf(await use('GET', `${path}?available=true`))).toContain('test/keyless');
    const { hash, key } = bodyOf(await manage('POST', '/keys', { name: 'second' })) as unknown as {
      hash: string;
      key: string;
    };
    expect(hash).toBeUndefined();
    expect(idsOf(await caller(gateway, key)('GET', `${path}?available=true`))).toEqual(['test/shared']);
    const { default_guardrail_id: id } = recordOf(await manage('GET', '/workspaces/default'));
    await manage('PATCH', `/guardrails/${id}`, { ignored_models: ['test/shared'] });
    expect(idsOf(await use('GET', `${path}?available=true`))).not.toContain('test/shared');
    const poor = await gateway.addAccount({ credits: 0n });
    expect(idsOf(await caller(gateway, poor.apiKey)('GET', `${path}?available=true`))).toEqual([]);
  });

  it('agrees with what a request is answered', async () => {
    await addKey({ allowed_models: ['test/none'] });
    for (const [model, isAvailable] of Object.entries(
      availability(await use('GET', `${path}?available=false`)),
    )) {
      const { attempts } = recordOf(await use('POST', '/routing/explain', { model })) as { attempts: Row[] };
      expect([model, attempts.length > 0]).toEqual([model, isAvailable]);
    }
  });

  it('takes true and false alone', async () => {
    expect(refusalOf(await use('GET', `${path}?available=maybe`)).slice(0, 2)).toEqual([
      400,
      'invalid_request',
    ]);
  });
});

describe('who may ask', () => {
  it('nobody without a credential; without the query everybody', async () => {
    const url = `${gateway.url}/api/v1/models`;
    expect((await send(`${url}?available=true`, 'GET')).status).toBe(401);
    expect((await send(url, 'GET')).status).toBe(200);
  });

  it('a management key, for all workspaces of its account', async () => {
    const workspace = recordOf(await manage('POST', '/workspaces', { name: 'Second', slug: 'second' }));
    await addKey({ workspace_id: workspace.id });
    expect(idsOf(await manage('GET', '/models?available=true'))).toContain('test/keyless');
    expect(idsOf(await use('GET', '/models?available=true'))).not.toContain('test/keyless');
  });

  it('clients of Anthropic, whose pages have only those', async () => {
    const answer = await use('GET', '/models?available=true', undefined, {
      'anthropic-version': '2023-06-01',
    });
    expect(idsOf(answer)).toEqual(['test/shared']);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('over RPC too, GET included', async () => {
    for (const useHttpGet of [false, true]) {
      const transport = createConnectTransport({
        baseUrl: gateway.url,
        httpVersion: '1.1',
        useHttpGet,
        interceptors: [
          (next) => (request) => {
            request.header.set('authorization', `Bearer ${account.apiKey}`);
            return next(request);
          },
        ],
      });
      const client = createClient(ModelService, transport);
      const only = await client.listUserModels({ available: true });
      expect(only.data.map(({ id, available }) => [id, available])).toEqual([['test/shared', true]]);
      const { data } = await client.listModels({});
      expect(data.map(({ available }) => available)).toEqual([undefined, undefined, undefined, undefined]);
    }
  });
});
