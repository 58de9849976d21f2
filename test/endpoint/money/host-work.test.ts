import { describe, expect, it } from 'vitest';
import { setLimit } from '../../support/limits.js';
import { expectSettled, keyRecord, mustSucceed, parallel } from '../../support/money.js';
import { bodyOf, type Row, recordOf, refused } from '../../support/rest.js';
import { type GreedyKind, startGreedy } from './greedy-hosts.js';

const SEARCH = { type: 'web_search_20250305', name: 'web_search' };
const CHAT = { max_tokens: 64, messages: [{ role: 'user', content: 'Hello there' }] };
const USAGE = { input_tokens: 1_000, output_tokens: 10, server_tool_use: { web_search_requests: 3 } };

/** A search that the request does not bound, with more members. */
const unbounded = (more: object = {}): GreedyKind => ({
  name: 'a search without a bound',
  host: 'anthropic',
  path: '/chat/completions',
  body: { ...CHAT, tools: [SEARCH], ...more },
  plan: { usage: USAGE },
});

/** Starts one with a single model. */
async function start(capacity: 'shared' | 'byok', more: object = {}, env: Record<string, string> = {}) {
  const kind = unbounded(more);
  const gateway = await startGreedy([kind], capacity, { env });
  const ask = (body: object = {}) =>
    gateway.ask(Object.assign(kind, { body: { ...unbounded().body, ...body } }));
  return { gateway, ask };
}

const NOT_BOUNDED = [400, 'invalid_request', 'tools[0] bounded'];

describe('a server tool of which nobody says how often it is used', () => {
  it('is not for shared capacity: 400 that names it, and nothing is sent', async () => {
    const { gateway, ask } = await start('shared');
    expect(await refused(gateway, () => ask())).toEqual(NOT_BOUNDED);
    expect(await refused(gateway, () => ask({ provider: { max_cost_usd: '5' } }))).toEqual(NOT_BOUNDED);
    await mustSucceed(ask({ tools: [{ ...SEARCH, max_uses: 3 }] }));
  });

  it('is not for shared capacity in the Messages format either', async () => {
    const kind: GreedyKind = { ...unbounded(), path: '/messages' };
    const gateway = await startGreedy([kind], 'shared');
    const answer = await gateway.ask(kind);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('tools[0].max_uses');
  });

  it('goes with a key of one’s own while no limit applies', async () => {
    const { gateway, ask } = await start('byok');
    await mustSucceed(ask());
    await setLimit(gateway, { limit: 5 });
    expect(await refused(gateway, () => ask())).toEqual(NOT_BOUNDED);
  });

  it('goes with it within provider.max_cost_usd, which is what is reserved', async () => {
    const { gateway, ask } = await start('byok', {}, { BYWAY_RESERVATION_WAIT_MS: '0' });
    await setLimit(gateway, { limit: 30, include_byok_in_limit: true });
    const within = () => ask({ provider: { max_cost_usd: '10' } });
    const reached = { status: 429, reason: 'limit_reserved' };
    expect(await parallel(20, within, reached)).toBe(3);
    expect(Number((await keyRecord(gateway)).byok_usage)).toBeCloseTo(3 * (0.003 + 0.0001 + 0.03), 6);
    await expectSettled(gateway);
  });

  it('is explained as it is answered', async () => {
    const { gateway } = await start('shared');
    const explained = async (more: object) => {
      const body = { ...unbounded(more).body, model: 'test/kind-0' };
      const { attempts, excluded } = recordOf(await gateway.use('POST', '/routing/explain', body));
      return [(attempts as Row[]).length, (excluded as Row[]).map(({ reason, detail }) => [reason, detail])];
    };
    const detail =
      'Nothing bounds what tools[0] (web_search_20250305) may cost: give tools[0].max_uses, or use a key of your own.';
    expect(await explained({})).toEqual([0, [['unsupported_parameter', detail]]]);
    expect(await explained({ tools: [{ ...SEARCH, max_uses: 3 }] })).toEqual([1, []]);
  });
});

describe('provider.max_cost_usd', () => {
  it.each(['shared', 'byok'] as const)(
    'excludes endpoints where a request may cost more: %s',
    async (capacity) => {
      const { gateway, ask } = await start(capacity);
      const bounded = { tools: [], max_tokens: 1_000 };
      await mustSucceed(ask({ ...bounded, provider: { max_cost_usd: '0.1' } }));
      const answer = await ask({ ...bounded, provider: { max_cost_usd: '0.001' } });
      expect([answer.status, bodyOf(answer).error]).toMatchObject([
        404,
        { metadata: { reason: 'no_endpoint', reasons: { max_price: capacity === 'shared' ? 1 : 2 } } },
      ]);
      await expectSettled(gateway);
    },
  );

  it.each([
    ['0', 'range'],
    ['-1', 'range'],
    ['0.0000000001', 'decimals'],
    ['much', 'decimal'],
  ])('of %s is refused by name', async (max_cost_usd, rule) => {
    const { gateway, ask } = await start('shared');
    expect(await refused(gateway, () => ask({ provider: { max_cost_usd } }))).toEqual([
      400,
      'invalid_request',
      `provider.max_cost_usd ${rule}`,
    ]);
  });
});
