import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

const CATALOG = {
  providers: [demoProvider('a', { regions: ['eu'] }), demoProvider('b', { regions: ['us'] })],
  models: [demoModel('test/m1', ['a', 'b']), demoModel('test/m2', ['b'])],
};

interface Answer {
  readonly status: number;
  readonly body: {
    readonly data: unknown;
    readonly error?: { readonly metadata: { readonly reason: string } };
  };
}

/** A request with this host name to the test's server. */
function through(host: string, { url, apiKey }: TestGateway, method: string, path: string, body?: object) {
  return new Promise<Answer>((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const sent = request(`${url}/api/v1${path}`, { method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const CHAT = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };

describe('a regional host', () => {
  it('lists and uses only endpoints in its region', async () => {
    const running = await startGateway({
      catalog: CATALOG,
      env: { BYWAY_REGION_HOSTS: 'eu.example.com=eu,us.example.com=us' },
    });
    const ids = async (host: string) => {
      const { body } = await through(host, running, 'GET', '/models/user');
      return (body.data as { id: string }[]).map(({ id }) => id);
    };
    expect(await ids('EU.example.com:8080')).toEqual(['test/m1']);
    expect(await ids('us.example.com')).toEqual(['test/m1', 'test/m2']);
    expect(await ids('other.example.com')).toEqual(['test/m1', 'test/m2']);
    const served = async (host: string) =>
      (
        (await through(host, running, 'POST', '/chat/completions', CHAT)).body as unknown as {
          provider: string;
        }
      ).provider;
    expect([await served('eu.example.com'), await served('us.example.com')]).toEqual(['a', 'b']);
  });

  it('serves nothing where a guardrail refuses its region: no model is listed, a chat is 403', async () => {
    const running = await startGateway({
      catalog: CATALOG,
      env: { BYWAY_REGION_HOSTS: 'eu.example.com=eu' },
    });
    const { rest, managementKey, workspaceId } = running;
    const headers = { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' };
    const workspace = (await (
      await fetch(`${rest}/workspaces/${workspaceId}`, { headers })
    ).json()) as Answer['body'];
    const { default_guardrail_id: id } = workspace.data as { default_guardrail_id: string };
    const body = JSON.stringify({ allowed_data_regions: ['global'] });
    expect((await fetch(`${rest}/guardrails/${id}`, { method: 'PATCH', headers, body })).status).toBe(200);

    const list = await through('eu.example.com', running, 'GET', '/models/user');
    expect(list.body).toMatchObject({ data: [], total_count: 0 });
    const chat = await through('eu.example.com', running, 'POST', '/chat/completions', CHAT);
    expect(chat.status).toBe(403);
    expect(chat.body.error?.metadata.reason).toBe('region_not_allowed');
    const explained = await through('eu.example.com', running, 'POST', '/routing/explain', {
      model: 'test/m1',
    });
    expect(explained.body.data).toMatchObject({
      attempts: [],
      excluded: [{ reason: 'region' }, { reason: 'region' }],
    });
    expect((await through('localhost', running, 'POST', '/chat/completions', CHAT)).status).toBe(200);
  });
});
