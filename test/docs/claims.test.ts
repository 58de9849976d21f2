/** Statements of the documentation that a reader would act on, tried on a gateway. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Role } from '../../gen/byway/options/v1/options_pb.js';
import { compileOperations } from '../../src/rest/compile.js';
import { launchGateway } from '../support/gateway.js';
import { startProviders } from '../support/providers.js';
import { type Call, caller, rowsOf, send } from '../support/rest.js';
import { readPage } from './pages.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let operations: ReturnType<typeof compileOperations>;
let manage: Call;

beforeAll(async () => {
  gateway = await launchGateway();
  operations = compileOperations(gateway.gateway.services.map(({ service }) => service));
  manage = caller(gateway, gateway.managementKey);
});
afterAll(() => gateway.stop());

/** What stands behind a caller in the table of docs/credentials.md#who-may-call-what. */
function mayCall(who: string): string {
  const [, section = ''] = readPage('docs/credentials.md').text.split('## Who may call what\n');
  const row = new RegExp(`^\\| ${who} \\| (.*) \\|$`, 'm').exec(section)?.[1];
  if (row === undefined) throw new Error(`docs/credentials.md has no row of ${who}`);
  return row;
}

const operationsOf = (role: Role) =>
  operations
    .filter(({ rule }) => rule.roles.includes(role))
    .map(({ httpMethod, path }) => `${httpMethod} ${path}`)
    .sort();

const namedIn = (text: string) =>
  [...text.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)`/g)].map((match) => match[1] ?? '').sort();

describe('docs/credentials.md says of', () => {
  it('API keys every operation that they may call, and no other', () => {
    expect(namedIn(mayCall('API key'))).toEqual(operationsOf(Role.API_KEY));
  });

  it('anybody every operation that needs no credential, and no other', () => {
    expect(namedIn(mayCall('anybody'))).toEqual(operationsOf(Role.ANONYMOUS));
  });

  it.each([
    ['operator key', Role.OPERATOR_KEY, () => gateway.operatorKey],
    ['API key', Role.API_KEY, () => gateway.apiKey],
    ['management key', Role.MANAGEMENT_KEY, () => gateway.managementKey],
  ])('an %s that what anybody may is answered, and what others may is 403', async (who, role, secret) => {
    expect(mayCall(who)).toContain('what anybody may');
    const headers = { authorization: `Bearer ${secret()}` };
    for (const { httpMethod, path, rule } of operations) {
      const url = `${gateway.rest}${path.replace(/\{\w+\}/g, 'x')}`;
      const isAdmitted = rule.roles.includes(role) || rule.roles.includes(Role.ANONYMOUS);
      const { status } = await send(url, httpMethod, {
        headers: { ...headers, 'content-type': 'application/json' },
        ...(httpMethod !== 'GET' && { body: '{' }),
      });
      expect([path, status === 403], `${httpMethod} ${path} is ${status}`).toEqual([path, !isAdmitted]);
    }
    const metrics = await send(`${gateway.url}/metrics`, 'GET', { headers });
    expect(metrics.status).toBe(role === Role.OPERATOR_KEY ? 200 : 403);
  });
});

describe('docs/money.md says that', () => {
  it('activity counts what was admitted: a refused request leaves no record, and `refused` is 0', async () => {
    const use = caller(gateway, gateway.apiKey);
    const chat = { model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] };
    expect((await use('POST', '/chat/completions', chat)).status).toBe(200);
    await manage('PATCH', `/keys/${gateway.apiKeyHash}`, { limit: 0 });
    expect((await use('POST', '/chat/completions', chat)).status).toBe(403);
    await manage('PATCH', `/keys/${gateway.apiKeyHash}`, { limit: null });
    expect(rowsOf(await manage('GET', '/activity'))).toMatchObject([{ requests: 1, refused: 0 }]);
    expect(rowsOf(await manage('GET', '/generations'))).toHaveLength(1);
  });
});

describe('docs/operations.md says that', () => {
  it("a provider's message is passed on with 1,000 characters, and stored in no record", async () => {
    expect(readPage('docs/operations.md').text).toContain(
      "| Message of a provider's error, as callers get it; no record has it | 1,000 characters |",
    );
    const behind = await startProviders('BYOK keys');
    const message = `Begin ${'x'.repeat(5_000)}`;
    const refusal = { status: 400, body: { error: { message } } };
    for (const fake of [behind.alpha, behind.beta]) fake.plan('m', refusal);
    const answer = await behind.chat('test/m', {});
    expect(answer.text).toContain('Begin xxx');
    expect(answer.text).not.toContain('x'.repeat(1_000));
    const [record] = rowsOf(await caller(behind, behind.managementKey)('GET', '/generations'));
    expect(record).toBeDefined();
    expect(JSON.stringify(record)).not.toContain('xxx');
  });
});

describe('the sign-in page says', () => {
  it('where the first key is', () => {
    const page = readFileSync('src/dashboard/session/sign-in.tsx', 'utf8').replace(/\s+/g, ' ');
    expect(page).toContain('prints it on a terminal, and writes it to <code>first-start.json</code>');
  });
});
