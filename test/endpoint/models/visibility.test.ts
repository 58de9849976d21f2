import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { launchGateway } from '../../support/gateway.js';

const PROVIDERS = ['a', 'b', 'c'];
const MODELS = ['test/m1', 'test/m2', 'test/m3', 'test/m4'];

/** `a` has zero retention and does not collect, `b` collects but retains nothing, `c` promises nothing. */
const CATALOG = {
  providers: [
    demoProvider('a', { regions: ['eu'] }),
    demoProvider('b', { data_policy: { zdr: true, data_collection: true }, regions: ['us'] }),
    demoProvider('c', { data_policy: { zdr: false, data_collection: true } }),
  ],
  models: [
    demoModel('test/m1', ['a', 'b', 'c']),
    demoModel('test/m2', ['b', 'c']),
    demoModel('test/m3', ['c']),
    demoModel('test/m4', ['a'], { canonical_slug: 'test/m4-2026' }),
  ],
};

type Running = Awaited<ReturnType<typeof launchGateway>>;
let running: Running;

beforeAll(async () => {
  running = await launchGateway({ catalog: CATALOG });
});
afterAll(() => running.stop());

async function call(method: string, path: string, secret: string, body?: object) {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const answer = await fetch(running.rest + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Body };
}

interface Body {
  readonly data: unknown;
  readonly error?: {
    readonly metadata: { readonly reason: string; readonly reasons?: Record<string, number> };
  };
}

const administer = (method: string, path: string, body?: object) =>
  call(method, path, running.managementKey, body);

async function listed(): Promise<string[]> {
  const { body } = await call('GET', '/models/user', running.apiKey);
  return (body.data as { id: string }[]).map(({ id }) => id);
}

const names = (all: readonly string[]) => fc.option(fc.subarray([...all]), { freq: 2 });
const rules = fc.record({
  allowed_models: names([...MODELS.slice(0, 3), 'test/m4-2026']),
  ignored_models: names(MODELS),
  allowed_providers: names(PROVIDERS),
  ignored_providers: names(PROVIDERS),
  enforce_zdr: fc.boolean(),
  data_collection: fc.constantFrom(null, 'allow', 'deny'),
});
const preferences = fc.record({
  allowed_providers: names(PROVIDERS),
  ignored_providers: names(PROVIDERS),
  zdr: fc.boolean(),
  data_collection: fc.constantFrom(null, 'allow', 'deny'),
});

describe('preferences, guardrails of key, member and workspace', () => {
  it('intersect: models that are not listed are refused, with the reasons that explain names', async () => {
    const { rest: _, apiKeyHash, ownerUserId, workspaceId } = running;
    const guardrail = async (name: string) =>
      ((await administer('POST', '/guardrails', { name })).body.data as { id: string }).id;
    const ofKey = await guardrail('Key');
    const ofMember = await guardrail('Member');
    const workspace = (await administer('GET', `/workspaces/${workspaceId}`)).body.data;
    const ofWorkspace = (workspace as { default_guardrail_id: string }).default_guardrail_id;
    await administer('POST', `/guardrails/${ofKey}/assignments/keys`, { key_hashes: [apiKeyHash] });
    await administer('POST', `/guardrails/${ofMember}/assignments/members`, {
      member_user_ids: [ownerUserId],
    });

    await fc.assert(
      fc.asyncProperty(preferences, rules, rules, rules, async (own, key, member, whole) => {
        expect((await administer('PATCH', '/preferences', own)).status).toBe(200);
        expect((await administer('PATCH', `/guardrails/${ofKey}`, key)).status).toBe(200);
        expect((await administer('PATCH', `/guardrails/${ofMember}`, member)).status).toBe(200);
        expect((await administer('PATCH', `/guardrails/${ofWorkspace}`, whole)).status).toBe(200);
        const visible = await listed();
        for (const model of MODELS) {
          const messages = [{ role: 'user', content: 'Hello' }];
          const chat = await call('POST', '/chat/completions', running.apiKey, { model, messages });
          const explained = await call('POST', '/routing/explain', running.apiKey, { model });
          const route = explained.body.data as { attempts: unknown[]; excluded: { reason: string }[] };
          expect([model, chat.status, route.attempts.length > 0]).toEqual([
            model,
            visible.includes(model) ? 200 : 404,
            visible.includes(model),
          ]);
          if (chat.status === 200) continue;
          expect(chat.body.error?.metadata.reason).toBe('no_endpoint');
          const reasons = new Set(route.excluded.map(({ reason }) => reason));
          expect(new Set(Object.keys(chat.body.error?.metadata.reasons ?? {}))).toEqual(reasons);
        }
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});

describe('a change of a restriction', () => {
  it('shows in the next listing and its ETag', async () => {
    const reset = { allowed_providers: null, ignored_providers: null, zdr: false, data_collection: null };
    for (const { id } of (await administer('GET', '/guardrails')).body.data as { id: string }[]) {
      const nothing = {
        allowed_models: null,
        ignored_models: null,
        allowed_providers: null,
        ignored_providers: null,
      };
      await administer('PATCH', `/guardrails/${id}`, {
        ...nothing,
        enforce_zdr: false,
        data_collection: null,
      });
    }
    await administer('PATCH', '/preferences', reset);
    const headers = { authorization: `Bearer ${running.apiKey}` };
    const before = await fetch(`${running.rest}/models/user`, { headers });
    const etag = before.headers.get('etag') ?? '';
    const again = await fetch(`${running.rest}/models/user`, {
      headers: { ...headers, 'if-none-match': etag },
    });
    expect(again.status).toBe(304);
    await administer('PATCH', '/preferences', { ignored_providers: ['c'] });
    const after = await fetch(`${running.rest}/models/user`, {
      headers: { ...headers, 'if-none-match': etag },
    });
    expect(after.status).toBe(200);
    expect(((await after.json()) as { data: { id: string }[] }).data.map(({ id }) => id)).not.toContain(
      'test/m3',
    );
  });
});
