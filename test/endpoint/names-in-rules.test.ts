/** Names in guardrails, preferences, filters of keys and requests: docs/routing.md#names-in-rules and #warnings. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchGateway, type TestAccount } from '../support/gateway.js';
import { bodyOf, type Call, caller, type Row, recordOf, refused } from '../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let account: TestAccount;
let manage: Call;
let use: Call;

beforeAll(async () => {
  gateway = await launchGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  account = await gateway.addAccount();
  manage = caller(gateway, account.managementKey);
  use = caller(gateway, account.apiKey);
});

const chat = (body: object = {}) =>
  use('POST', '/chat/completions', {
    model: 'test/m1',
    messages: [{ role: 'user', content: 'Hello' }],
    ...body,
  });

const reasonsOf = async (body: object = {}) => {
  const { error } = bodyOf(await chat(body)) as { error?: { metadata: Row } };
  return error?.metadata.reasons;
};

async function guard(rules: object): Promise<Row> {
  const workspace = recordOf(await manage('GET', '/workspaces/default'));
  return recordOf(await manage('PATCH', `/guardrails/${workspace.default_guardrail_id}`, rules));
}

const listed = async () =>
  (bodyOf(await use('GET', '/models/user')) as { data: Row[] }).data.map(({ id }) => id);

/** Spellings that all name test/m1. */
const SPELLINGS = ['test/m1', 'Test/M1', ' test/m1 ', 'test/*', 'TEST/m*', 'test/m1*'];

describe.each(SPELLINGS)('the entry %j', (entry) => {
  it('in ignored_models hides the model and refuses it', async () => {
    expect(await guard({ ignored_models: [entry] })).toMatchObject({ ignored_models: [entry], warnings: [] });
    expect(await listed()).not.toContain('test/m1');
    expect(Object.keys((await reasonsOf()) as object)).toEqual(['guardrail_model']);
  });

  it('in allowed_models admits the model, and nothing that it does not name', async () => {
    await guard({ allowed_models: [entry] });
    expect((await chat()).status).toBe(200);
    expect(Object.keys((await reasonsOf({ model: 'demo/echo' })) as object)).toEqual(['guardrail_model']);
  });

  it('in the filter of an always-use key uses that key', async () => {
    const key = { provider: 'a', key: 'demo-echo-0123456789-key', name: 'Own', is_required: true };
    expect(recordOf(await manage('POST', '/byok', { ...key, allowed_models: [entry] }))).toMatchObject({
      allowed_models: [entry],
      warnings: [],
    });
    const { data } = bodyOf(await use('POST', '/routing/explain', { model: 'test/m1' })) as {
      data: { attempts: Row[]; excluded_counts: Row };
    };
    expect(data.attempts[0]).toMatchObject({ provider: 'a', is_byok: true });
    expect(data.excluded_counts).toMatchObject({ always_use: 1 });
  });
});

describe('names of providers', () => {
  it.each(['a', 'A', ' a ', 'a*'])('%j in guardrail, preferences and request', async (entry) => {
    expect(await guard({ ignored_providers: [entry] })).toMatchObject({ warnings: [] });
    expect(await reasonsOf({ provider: { only: [entry] } })).toMatchObject({ guardrail_provider: 1 });
    await guard({ ignored_providers: null });
    expect(recordOf(await manage('PATCH', '/preferences', { allowed_providers: [entry] }))).toMatchObject({
      allowed_providers: [entry],
      warnings: [],
    });
    const explained = recordOf(
      await use('POST', '/routing/explain', {
        model: 'test/m1',
        provider: { order: [entry], ignore: ['b'] },
      }),
    ) as { attempts: Row[]; unknown_providers: string[] };
    expect(explained.attempts.map(({ provider }) => provider)).toEqual(['a']);
    expect(explained.unknown_providers).toEqual([]);
    expect(await reasonsOf({ provider: { ignore: [entry] } })).toMatchObject({ request_ignore: 1 });
  });

  it('a prefix in provider.order stands for all that it names, in their order', async () => {
    const order = (names: string[]) =>
      use('POST', '/routing/explain', { model: 'test/m1', provider: { order: names } });
    const explained = recordOf(await order(['C*', 'b'])) as { attempts: Row[] };
    expect(explained.attempts.map(({ provider }) => provider)).toEqual(['c', 'b', 'a']);
  });

  it('that name none are 400 in rules, and unknown_providers of a request', async () => {
    expect(
      await refused(gateway, () => manage('PATCH', '/preferences', { ignored_providers: ['zz*'] })),
    ).toEqual([400, 'invalid_request', 'ignored_providers[0] known']);
    const explained = recordOf(
      await use('POST', '/routing/explain', { model: 'test/m1', provider: { ignore: ['zz*'] } }),
    );
    expect(explained.unknown_providers).toEqual(['zz*']);
  });
});

describe('* elsewhere than at the end, or alone, is 400 and names field and rule', () => {
  it.each(['*', 'te*st/m1', '*m1', 'test/**'])('%j', async (entry) => {
    const { default_guardrail_id: id } = recordOf(await manage('GET', '/workspaces/default'));
    const bodies: [string, string, object, string][] = [
      ['PATCH', `/guardrails/${id}`, { allowed_models: ['test/m1', entry] }, 'allowed_models[1]'],
      ['PATCH', `/guardrails/${id}`, { ignored_models: [entry] }, 'ignored_models[0]'],
      ['PATCH', `/guardrails/${id}`, { allowed_providers: [entry] }, 'allowed_providers[0]'],
      ['PATCH', `/guardrails/${id}`, { ignored_providers: [entry] }, 'ignored_providers[0]'],
      ['POST', '/guardrails', { name: 'G', ignored_models: [entry] }, 'ignored_models[0]'],
      ['PATCH', '/preferences', { allowed_providers: [entry] }, 'allowed_providers[0]'],
      [
        'POST',
        '/byok',
        { provider: 'a', key: 'demo-0123456789abcdef', allowed_models: [entry] },
        'allowed_models[0]',
      ],
    ];
    for (const [method, path, body, field] of bodies) {
      const answer = await manage(method as 'POST', path, body);
      const { error } = bodyOf(answer) as { error: { metadata: { violations: Row[] } } };
      expect([answer.status, error.metadata.violations]).toEqual([
        400,
        [{ field, rule: 'pattern', message: expect.stringContaining('only at its end') }],
      ]);
    }
    for (const member of ['order', 'only', 'ignore']) {
      const answer = await chat({ provider: { [member]: [entry] } });
      const { error } = bodyOf(answer) as { error: { metadata: { violations: Row[] } } };
      expect([answer.status, error.metadata.violations]).toMatchObject([
        400,
        [{ field: `provider.${member}[0]`, rule: 'pattern' }],
      ]);
    }
  });
});

describe('what has no effect now is taken, and said in warnings whenever the record is read', () => {
  it('names of models in guardrails, with the nearest', async () => {
    const rules = { ignored_models: ['test/m1', 'test/m11', 'nobody/*'], allowed_models: null };
    const warnings = [
      {
        field: 'ignored_models[1]',
        rule: 'unmatched',
        message: expect.stringMatching(
          /^no model of the catalogue is called so now \(did you mean test\/m1\?\): until/,
        ),
      },
      {
        field: 'ignored_models[2]',
        rule: 'unmatched',
        message: 'no model of the catalogue is called so now: until one is, this entry has no effect',
      },
    ];
    const { id, ...record } = await guard(rules);
    expect(record).toMatchObject({ ignored_models: rules.ignored_models, warnings });
    expect(recordOf(await manage('GET', `/guardrails/${id}`)).warnings).toEqual(warnings);
    const { data } = bodyOf(await manage('GET', '/guardrails')) as { data: Row[] };
    expect(data[0]?.warnings).toEqual(warnings);
  });

  it('members without a budget', async () => {
    const { warnings } = await guard({ include_byok_in_budgets: true, reset_interval: 'daily' });
    expect((warnings as Row[]).map(({ field, rule }) => [field, rule])).toEqual([
      ['include_byok_in_budgets', 'no_effect'],
      ['reset_interval', 'no_effect'],
    ]);
  });

  it('filters of keys: models, models of another provider, members without a key, hashes of deleted keys', async () => {
    const { hash } = recordOf(await manage('POST', '/keys', { name: 'gone' }));
    const { id } = recordOf(
      await manage('POST', '/byok', {
        provider: 'a',
        key: 'demo-echo-0123456789-key',
        allowed_models: ['test/none', 'demo/echo', 'test/*'],
        allowed_api_key_hashes: [hash, account.apiKeyHash],
        allowed_user_ids: ['user_of_nobody', account.ownerUserId],
      }),
    );
    await manage('DELETE', `/keys/${hash}`);
    const { warnings } = recordOf(await manage('GET', `/byok/${id}`));
    expect((warnings as Row[]).map(({ field, message }) => [field, String(message).split(':')[0]])).toEqual([
      ['allowed_models[0]', expect.stringContaining('no model of the catalogue is called so now')],
      ['allowed_models[1]', 'a has no endpoint of it'],
      ['allowed_api_key_hashes[0]', 'is no live API key any more (deleted or expired)'],
      ['allowed_user_ids[0]', 'no API key of the account acts as this member'],
    ]);
    const { data } = bodyOf(await manage('GET', '/byok')) as { data: Row[] };
    expect(data[0]?.warnings).toEqual(warnings);
  });

  it('they can’t be written', async () => {
    const { default_guardrail_id: id } = recordOf(await manage('GET', '/workspaces/default'));
    expect(await refused(gateway, () => manage('PATCH', `/guardrails/${id}`, { warnings: [] }))).toEqual([
      400,
      'invalid_request',
      'warnings read_only',
    ]);
  });

  it('and a name of an unknown model that a request names beside its own is held to prefixes too', async () => {
    await guard({ ignored_models: ['other/*'] });
    expect((await chat({ fallbacks: [{ model: 'other/unheard-of' }] })).status).toBe(404);
  });
});
