import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel } from '../support/catalog.js';
import { serviceAccount } from '../support/fakes/fake-vertex/account.js';
import { bodyOf, type Call, caller, recordOf } from '../support/rest.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';

const AZURE_ENDPOINT = 'https://my-resorce.openai.azure.com/';
const TOKEN_URI = 'https://oauth2.googleapis.com/token';

let folder: string;
let server: ServerProcess;
let manage: Call;
let use: Call;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'byway-lookup-'));
  const catalog = join(folder, 'catalog.json');
  const provider = (slug: string) => ({ slug, name: slug, adapter: slug });
  const model = (id: string, at: string) =>
    demoModel(id, [{ provider: at, upstream_model_id: 'gpt-4o-mini' }]);
  const providers = [provider('azure'), provider('google-vertex')];
  const models = [model('test/azure', 'azure'), model('test/vertex', 'google-vertex')];
  writeFileSync(catalog, JSON.stringify({ providers, models }));
  server = await startServerProcess({
    BYWAY_CATALOG: catalog,
    NODE_OPTIONS: `--require=${resolve('test/faults/unresolved-hosts.cjs')}`,
  });
  const gateway = { rest: `http://127.0.0.1:${server.port}/api/v1` };
  manage = caller(gateway, server.managementKey);
  use = caller(gateway, server.apiKey);
}, 60_000);

afterAll(async () => {
  expect(await server.stop()).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});

const AZURE = {
  provider: 'azure',
  key: [
    {
      model_slug: 'test/azure',
      endpoint_url: `${AZURE_ENDPOINT}openai/deployments/d/chat/completions?api-version=2024-10-21`,
      api_key: '0123456789abcdef0123456789abcdef',
      model_id: 'd',
    },
  ],
};
const VERTEX = { provider: 'google-vertex', key: serviceAccount(TOKEN_URI) };

describe.each([
  ['an Azure key with a mistyped endpoint', AZURE, 'test/azure'],
  ['a Vertex key whose token host does not resolve', VERTEX, 'test/vertex'],
])('%s costs its own request, and the process goes on', (_name, key, model) => {
  it('is reported by its test and by chats', async () => {
    const { id } = recordOf(await manage('POST', '/byok', key));
    expect(recordOf(await manage('POST', `/byok/${String(id)}/test`))).toMatchObject({
      ok: false,
      status: null,
      reason: 'unreachable',
    });
    const messages = [{ role: 'user', content: 'Hello' }];
    for (const stream of [false, true]) {
      const answer = await use('POST', '/chat/completions', { model, messages, stream });
      expect(answer.status).toBe(502);
      expect(bodyOf(answer)).toMatchObject({
        error: {
          metadata: {
            reason: 'upstream_failed',
            provider_responses: [{ status: null, error: 'dns', is_byok: true }],
          },
        },
      });
    }
    expect((await use('GET', '/key')).status).toBe(200);
  });
});
