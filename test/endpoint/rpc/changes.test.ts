import { describe, expect, it } from 'vitest';
import { importCatalog } from '../../../src/catalog/importing/import.js';
import { demoModel, testCatalog } from '../../support/catalog.js';
import { startGateway } from '../../support/gateway.js';
import { caller, recordOf } from '../../support/rest.js';

interface Route {
  readonly attempts: readonly { provider: string; byok_key_id: string | null }[];
}

async function world() {
  const gateway = await startGateway();
  const manage = caller(gateway, gateway.managementKey);
  const use = caller(gateway, gateway.apiKey);
  const idOf = async (...sent: Parameters<typeof manage>) => String(recordOf(await manage(...sent)).id);
  return {
    gateway,
    idOf,
    change: async (...sent: Parameters<typeof manage>) => {
      expect((await manage(...sent)).status).toBeLessThan(300);
    },
    /** The attempts in brief, of chats and of explain: `a` is shared capacity of a, `a:key` a key. */
    async route(provider: object = {}): Promise<string> {
      const body = { model: 'test/m1', provider };
      const { attempts } = recordOf(await use('POST', '/routing/explain', body)) as unknown as Route;
      const chat = { ...body, messages: [{ role: 'user', content: 'Hi' }] };
      expect((await use('POST', '/chat/completions', chat)).status).toBe(attempts.length === 0 ? 404 : 200);
      return attempts
        .map(({ provider: slug, byok_key_id: id }) => (id === null ? slug : `${slug}:key`))
        .join(' ');
    },
  };
}

describe('no decision of one request outlives a change before the next one', () => {
  it('of a BYOK key: it is created, disabled, filtered, required, moved and deleted', async () => {
    const { gateway, change, idOf, route } = await world();
    expect(await route()).toBe('a b c');
    const id = await idOf('POST', '/byok', { provider: 'b', key: 'demo-echo-0123456789', name: 'key' });
    expect(await route()).toBe('b:key a b c');
    const update = (members: object) => change('PATCH', `/byok/${id}`, members);
    await update({ disabled: true });
    expect(await route()).toBe('a b c');
    await update({ disabled: false, allowed_user_ids: ['somebody'] });
    expect(await route()).toBe('a b c');
    await update({ allowed_user_ids: [gateway.ownerUserId], allowed_api_key_hashes: [gateway.apiKeyHash] });
    expect(await route()).toBe('b:key a b c');
    await update({ is_required: true });
    expect(await route()).toBe('b:key a c');
    await update({ is_required: false, is_fallback: true });
    expect(await route()).toBe('a b c b:key');
    await change('DELETE', `/byok/${id}`);
    expect(await route()).toBe('a b c');
  });

  it('of the policy: a guardrail, and the preferences of the account', async () => {
    const { change, idOf, gateway, route } = await world();
    const guardrail = await idOf('POST', '/guardrails', { name: 'G', allowed_providers: ['b', 'c'] });
    expect(await route()).toBe('a b c');
    await change('POST', `/guardrails/${guardrail}/assignments/keys`, { key_hashes: [gateway.apiKeyHash] });
    expect(await route()).toBe('b c');
    await change('PATCH', `/guardrails/${guardrail}`, { ignored_models: ['test/m1'] });
    expect(await route()).toBe('');
    await change('DELETE', `/guardrails/${guardrail}`);
    expect(await route()).toBe('a b c');
    await change('PATCH', '/preferences', { ignored_providers: ['b'] });
    expect(await route()).toBe('a c');
  });

  it('of the catalogue: an endpoint is gone, and another has become the cheapest', async () => {
    const { gateway, route } = await world();
    const load = (...endpoints: Parameters<typeof demoModel>[1]) =>
      importCatalog(
        gateway.gateway.stores.catalog,
        JSON.stringify({ ...testCatalog(), models: [demoModel('test/m1', endpoints)] }),
        { merge: false },
      );
    expect(await route()).toBe('a b c');
    await load('a', 'c');
    expect(await route()).toBe('a c');
    const cheap = { pricing: { prompt: '0.0000001', completion: '0.0000001' } };
    await load('a', { provider: 'c', upstream_model_id: 'echo', ...cheap });
    expect(await route()).toBe('c a');
  });

  it('and each request is planned by its own demands, whatever others demand', async () => {
    const { route } = await world();
    const updates: [object, string][] = [
      [{}, 'a b c'],
      [{ order: ['c', 'b'] }, 'c b a'],
      [{ only: ['b'] }, 'b'],
      [{ zdr: true }, 'a b c'],
      [{ allow_fallbacks: false }, 'a'],
      [{ quantizations: ['fp8'] }, ''],
      [{ max_price: { prompt: '0.5' } }, ''],
    ];
    for (const [provider, expected] of [...updates, ...updates.toReversed()]) {
      expect(await route(provider)).toBe(expected);
    }
  });
});
