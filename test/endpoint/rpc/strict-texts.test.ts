import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Plane } from '../../../gen/byway/options/v1/options_pb.js';
import { compileOperations } from '../../../src/rest/compile.js';
import type { Operation } from '../../../src/rest/operation.js';
import { launchGateway } from '../../support/gateway.js';
import { callRaw } from '../../support/raw-rpc.js';
import { bodyOf, type Call, caller, recordOf, refused, send } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;
let operations: readonly Operation[];

beforeAll(async () => {
  gateway = await launchGateway();
  manage = caller(gateway, gateway.managementKey);
  operations = compileOperations(gateway.gateway.services.map(({ service }) => service));
});
afterAll(() => gateway.stop());

const connect = (method: string, json: string) =>
  callRaw({
    url: `${gateway.url}/byway.v1.${method}`,
    contentType: 'application/json',
    body: Buffer.from(json),
    headers: { authorization: `Bearer ${gateway.managementKey}` },
  });

describe('a duplicate member in an administrative body', () => {
  it('is 400 with its path, at any depth and however it is escaped, and writes nothing', async () => {
    for (const [body, field] of [
      ['{"name":"a","name":"b"}', 'name'],
      ['{"name":"a","n\\u0061me":"b"}', 'name'],
      ['{"name":"a","limit":1,"limit":null}', 'limit'],
    ] as const) {
      expect(await refused(gateway, () => manage('POST', '/keys', Buffer.from(body)))).toEqual([
        400,
        'invalid_request',
        `${field} repeated`,
      ]);
    }
    const credential = '{"provider":"a","key":{"type":"x","nested":[{"a":1,"a":2}]}}';
    expect(await refused(gateway, () => manage('POST', '/byok', Buffer.from(credential)))).toEqual([
      400,
      'invalid_request',
      'key.nested[0].a repeated',
    ]);
  });

  it('is reported in REST spelling over Connect JSON too', async () => {
    const json =
      '{"guardrail":{"id":"x","allowedModels":{"values":["a"],"values":["b"]},"limitUsd":1,"limitUsd":2}}';
    const { detail } = await connect('GuardrailService/UpdateGuardrail', json);
    expect(detail?.violations.map(({ field, rule }) => `${field} ${rule}`)).toEqual([
      'allowed_models repeated',
      'limit_usd repeated',
    ]);
  });

  it("is the provider's to judge in a chat", async () => {
    const body = '{"model":"test/m1","user":"a","user":"b","messages":[{"role":"user","content":"Hi"}]}';
    const answer = await caller(gateway, gateway.apiKey)('POST', '/chat/completions', Buffer.from(body));
    expect(answer.status).toBe(200);
  });
});

describe('the null character in a string is 400 and names the member', () => {
  const NUL = '\u0000';
  const rule = 'null_character';

  it.each<[string, string, object, string]>([
    ['POST', '/keys', { name: `a${NUL}b` }, 'name'],
    ['POST', '/keys', { name: 'n', creator_user_id: `${NUL}` }, 'creator_user_id'],
    ['POST', '/clients', { name: 'n', user_id: `u${NUL}` }, 'user_id'],
    ['POST', '/guardrails', { name: 'n', allowed_models: ['a', `b${NUL}`] }, 'allowed_models[1]'],
    ['POST', '/workspaces', { name: 'n', slug: 's', description: NUL }, 'description'],
    ['PATCH', '/preferences', { ignored_providers: [NUL] }, 'ignored_providers[0]'],
  ])('%s %s %j', async (method, path, body, field) => {
    const [status, , ...violations] = await refused(gateway, () => manage(method, path, body));
    expect([status, violations.join()]).toEqual([400, expect.stringContaining(`${field} ${rule}`)]);
  });

  it('in a query of every operation of the contract, and in a path it names nothing: 404', async () => {
    const checked: string[] = [];
    for (const {
      httpMethod,
      path,
      pathParameters,
      query,
      body,
      rule: { plane },
    } of operations) {
      if (plane === Plane.INFERENCE || plane === Plane.BATCHES) continue;
      const filled = (nul: string | null) =>
        path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
          name === nul ? 'a%00b' : name === 'interval' ? 'daily' : 'a',
        );
      const texts = pathParameters
        .filter((parameter) => parameter.enum === undefined)
        .map(({ name }) => name);
      const paths = texts.map((name) => [name, filled(name), 404] as const);
      const queries = query
        .filter(({ scalar }) => scalar === 9)
        .map(({ name }) => [name, `${filled(null)}?${name}=a%00b`, 400] as const);
      for (const [name, target, status] of [...paths, ...queries]) {
        const key = operationTakesApiKeyOnly(path) ? gateway.apiKey : gateway.managementKey;
        const answer = await send(`${gateway.rest}${target}`, httpMethod, {
          headers: { authorization: `Bearer ${key}` },
          ...(body !== undefined && { body: {} }),
        });
        const { error } = bodyOf(answer) as {
          error: { metadata: { violations?: { field: string; rule: string }[] } };
        };
        const violations = (error.metadata.violations ?? []).map(
          ({ field, rule: broken }) => `${field} ${broken}`,
        );
        expect([httpMethod, target, answer.status, violations]).toEqual([
          httpMethod,
          target,
          status,
          status === 404 ? [] : expect.arrayContaining([`${name} ${rule}`]),
        ]);
        checked.push(`${httpMethod} ${target}`);
      }
    }
    expect(checked.length).toBeGreaterThan(30);
  });

  it('over RPC, and together with all other violations', async () => {
    const { detail } = await connect(
      'KeyService/CreateKey',
      JSON.stringify({ name: `n${NUL}`, limit: -1, workspaceId: NUL, creatorUserId: '' }),
    );
    expect(detail?.violations.map(({ field }) => field).sort()).toEqual([
      'creator_user_id',
      'limit',
      'name',
      'workspace_id',
    ]);
  });

  it('while the neighbouring characters are accepted', async () => {
    const name = '\u0001\u001f\u007f\ufffe\u{10ffff}';
    expect(recordOf(await manage('POST', '/keys', { name })).name).toBe(name);
  });
});

function operationTakesApiKeyOnly(path: string): boolean {
  return path === '/models/user' || path === '/key';
}
