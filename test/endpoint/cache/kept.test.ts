import { describe, expect, it, vi } from 'vitest';
import { rotateVault } from '../../../src/byok/vault/rotation.js';
import { cacheSizeViolations } from '../../../src/store/maintenance/invariants.js';
import { clockAt } from '../../support/clock.js';
import { valuesOf } from '../../support/dump.js';
import type { TestGateway } from '../../support/gateway.js';
import { setLimit } from '../../support/limits.js';
import { forAccount, type MoneyGateway, startMoneyGateway } from '../../support/money.js';
import { CASES, hear, MODES, startProviders } from '../../support/providers.js';
import { bodyOf, refusalOf } from '../../support/rest.js';
import { CACHE, cacheOf, cacheOfEach } from './cached.js';

const answersIn = ({ gateway }: Pick<TestGateway, 'gateway'>) =>
  gateway.database.query.selectFrom('cached_answer').selectAll().orderBy('created_at').execute();

describe('an answer is kept', () => {
  it.each(MODES)('not if it broke off or failed, %s', async (mode) => {
    const gateway = await startProviders('shared capacity');
    const hosts = [gateway.alpha, gateway.beta];
    const planned = async (plan: object) => {
      for (const host of hosts) host.plan('m', plan);
      return gateway.ask(mode, CACHE);
    };
    expect((await planned({ status: 500 })).status).toBe(502);
    expect((await planned({ cutAfterBytes: mode === 'streamed' ? 900 : 300 })).isDone).toBe(false);
    const whole = await planned({});
    expect([whole.status, cacheOf(whole)]).toEqual([200, 'miss']);
  });

  it.each(MODES)('not if a filter has cut it, %s', async (mode) => {
    const gateway = await startProviders('shared capacity');
    const choice = { index: 0, logprobs: null, finish_reason: 'content_filter' };
    gateway.alpha.plan('m', {
      answer: {
        id: 'x',
        object: 'chat.completion',
        choices: [{ ...choice, message: { role: 'assistant', content: 'No' } }],
      },
      chunks: [
        { id: 'x', object: 'chat.completion.chunk', choices: [{ ...choice, delta: { content: 'No' } }] },
      ],
    });
    const ask = () => gateway.ask(mode, CACHE);
    const first = await ask();
    expect([first.finishReason, cacheOf(first), cacheOf(await ask())]).toEqual([
      'content_filter',
      'miss',
      'miss',
    ]);
  });

  it.each(CASES)(
    'not if its host has not said how it ended, over $capacity, $mode',
    async ({ capacity, mode }) => {
      const gateway = await startProviders(capacity);
      const choice = { index: 0, logprobs: null, finish_reason: null };
      gateway.alpha.plan('m', {
        answer: {
          id: 'x',
          object: 'chat.completion',
          choices: [{ ...choice, message: { role: 'assistant', content: 'A part' } }],
        },
        chunks: [
          {
            id: 'x',
            object: 'chat.completion.chunk',
            choices: [{ ...choice, delta: { content: 'A part' } }],
          },
        ],
      });
      const ask = () => gateway.ask(mode, CACHE);
      const first = await ask();
      expect([first.finishReason, first.content, cacheOf(first), cacheOf(await ask())]).toEqual([
        ...['stop', 'A part', 'miss', 'miss'],
      ]);
    },
  );

  it('not if the gateway has cut it, since no money was left for the rest', async () => {
    const gateway = await startProviders('shared capacity');
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
    gateway.alpha.plan('m', {
      chunks: [{ ...chunk, choices: [{ index: 0, delta: { content: 'word' } }] }],
      isEndless: true,
    });
    await setLimit(gateway, { limit: 0.5 });
    const ask = () => gateway.ask('streamed', { ...CACHE, max_tokens: 5 });
    const cut = await ask();
    expect([cut.finishReason, cacheOf(cut)]).toEqual(['length', 'miss']);
    await setLimit(gateway, { limit: null });
    gateway.alpha.plan('m', {});
    expect(await cacheOfEach(ask, ask)).toEqual(['miss', 'hit']);
  });

  it.each(MODES)('if it is complete at its limit, %s', async (mode) => {
    const gateway = await startMoneyGateway();
    const more = { ...CACHE, max_tokens: 2, stream: mode === 'streamed' };
    const ask = async () => hear(await gateway.chat('test/tokens', more));
    expect([(await ask()).finishReason, cacheOf(await ask())]).toEqual(['length', 'hit']);
  });

  it('if it was finished without its client', async () => {
    const gateway = await startProviders('shared capacity');
    gateway.alpha.plan('m', { words: Array<string>(20).fill(' fox'), paceMs: 10 });
    const leaving = new AbortController();
    const { body } = await fetch(`${gateway.rest}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: 'test/m', messages: [{ role: 'user', content: 'Hello there' }], stream: true },
        ...CACHE,
      }),
      signal: leaving.signal,
    });
    await body?.getReader().read();
    leaving.abort();
    await expect.poll(async () => (await answersIn(gateway)).length, { timeout: 10_000 }).toBe(1);
    const again = await gateway.ask('in one piece', CACHE);
    expect([cacheOf(again), again.content]).toEqual(['hit', ' fox'.repeat(20)]);
  });

  it.each(CASES)('not if it is longer than a MiB, over $capacity, $mode', async ({ capacity, mode }) => {
    const gateway = await startProviders(capacity);
    gateway.alpha.plan('m', { words: Array<string>(11).fill('x'.repeat(100_000)) });
    const ask = () => gateway.ask(mode, CACHE);
    expect((await ask()).content).toHaveLength(1_100_000);
    expect(cacheOf(await ask())).toBe('miss');
    expect(await answersIn(gateway)).toEqual([]);
  });

  it('not as a stream with pieces that nobody here can join', async () => {
    const gateway = await startProviders('shared capacity');
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      ...{ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] },
    });
    gateway.alpha.plan('m', {
      chunks: [chunk({ audio: { data: 'AAAA' } }), chunk({ audio: { data: 'BBBB' } }), chunk({}, 'stop')],
    });
    const ask = () => gateway.ask('streamed', CACHE);
    expect(await cacheOfEach(ask, ask)).toEqual(['miss', 'miss']);
  });

  it('of its own form where it came later than another one', async () => {
    const gateway = await startMoneyGateway();
    const asks = Array.from({ length: 4 }, () => gateway.chat('test/slow', { ...CACHE, max_tokens: 2 }));
    expect((await Promise.all(asks)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await answersIn(gateway)).toHaveLength(1);
    expect(await cacheSizeViolations(gateway.gateway.database)).toEqual([]);
  });
});

describe('the time of an answer', () => {
  it('ends with its ttl, and with that of the request', async () => {
    const clock = clockAt('2026-11-26T12:00:00Z');
    const gateway = await startMoneyGateway({ clock });
    const ask = (ttl: number) => () => gateway.chat('test/free', { cache: { ttl } });
    expect(await cacheOfEach(ask(60))).toEqual(['miss']);
    clock.advance(59_999);
    expect(await cacheOfEach(ask(60), ask(86_400))).toEqual(['hit', 'hit']);
    clock.advance(1);
    expect(await cacheOfEach(ask(86_400))).toEqual(['miss']);
    clock.advance(30_000);
    expect(await cacheOfEach(ask(86_400), ask(31), ask(30))).toEqual(['hit', 'hit', 'miss']);
    clock.advance(30_000);
    expect(await cacheOfEach(ask(86_400))).toEqual(['miss']);
  });

  it('is no longer where the clock was set back', async () => {
    const clock = clockAt('2026-11-26T12:00:00Z');
    const gateway = await startMoneyGateway({ clock });
    const ask = () => gateway.chat('test/free', CACHE);
    await ask();
    clock.advance(-60_000);
    expect(await cacheOfEach(ask, ask)).toEqual(['miss', 'hit']);
  });

  it('over, its row goes with what is no longer kept', async () => {
    const clock = clockAt('2026-11-26T12:00:00Z');
    const gateway = await startMoneyGateway({ clock });
    for (let n = 0; n < 3; n += 1) await gateway.chat('test/free', { cache: { ttl: 60 + n }, seed: n });
    clock.advance(61_000);
    const log = { info: () => undefined, error: (fields: object) => expect(fields).toEqual({}) };
    gateway.gateway.retention.start(log);
    await expect.poll(async () => (await answersIn(gateway)).length).toBe(1);
    expect(await cacheSizeViolations(gateway.gateway.database)).toEqual([]);
  });
});

describe('the size of the cache', () => {
  it('is bounded, and the answer that was used least recently goes first', async () => {
    const clock = clockAt('2026-11-26T12:00:00Z');
    const gateway = await startProviders('shared capacity', { clock, env: { BYWAY_CACHE_MAX_MB: '1' } });
    gateway.alpha.plan('m', { words: ['x'.repeat(300_000)] });
    const ask = (seed: number) => async () => {
      clock.advance(1);
      return gateway.ask('in one piece', { cache: { ttl: 3_600 }, seed });
    };
    expect(await cacheOfEach(ask(1), ask(2), ask(3), ask(1))).toEqual(['miss', 'miss', 'miss', 'hit']);
    expect(await cacheOfEach(ask(4), ask(1), ask(3), ask(2))).toEqual(['miss', 'hit', 'hit', 'miss']);
    const answers = await answersIn(gateway);
    expect(answers).toHaveLength(3);
    expect(answers.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(1024 * 1024);
    expect(await cacheSizeViolations(gateway.gateway.database)).toEqual([]);
  });
});

describe('DELETE /cache', () => {
  it("empties the account's cache, and no other one", async () => {
    const gateway = await startMoneyGateway();
    const other = forAccount(gateway, await gateway.addAccount());
    const ask =
      (one: MoneyGateway, seed = 0) =>
      () =>
        one.chat('test/free', { ...CACHE, seed }, one.apiKey);
    for (let seed = 0; seed < 250; seed += 1) await ask(gateway, seed)();
    await ask(other)();
    const answer = await gateway.manage('DELETE', '/cache');
    expect([answer.status, bodyOf(answer)]).toEqual([200, { deleted: true }]);
    expect(await cacheOfEach(ask(gateway), ask(gateway, 249), ask(other))).toEqual(['miss', 'miss', 'hit']);
    expect(await answersIn(gateway)).toHaveLength(3);
    expect(await cacheSizeViolations(gateway.gateway.database)).toEqual([]);
  });

  it('takes a management key', async () => {
    const gateway = await startMoneyGateway();
    expect(refusalOf(await gateway.use('DELETE', '/cache'))).toEqual([403, 'permission_denied']);
  });
});

describe('what is kept', () => {
  it('shows nothing of the request and its answer', async () => {
    const gateway = await startProviders('shared capacity');
    gateway.alpha.plan('m', { words: ['an unspeakable answer'] });
    await gateway.ask('in one piece', {
      ...CACHE,
      messages: [{ role: 'user', content: 'an unspeakable question' }],
    });
    expect(await answersIn(gateway)).toHaveLength(1);
    const stored = (await valuesOf(gateway.gateway.database)).join('\n');
    expect(stored).not.toContain('unspeakable');
    expect(stored).not.toContain(Buffer.from('unspeakable').toString('hex'));
    expect(gateway.log.join('\n')).not.toContain('unspeakable');
  });

  it('is re-wrapped with the credentials', async () => {
    const gateway = await startMoneyGateway();
    const ask = () => gateway.chat('test/free', CACHE);
    await ask();
    const { masterKeyId } = await rotateVault(gateway.gateway.stores.credentials, {
      masterKey: undefined,
      masterKeyFile: undefined,
      masterKeyPrevious: undefined,
      dataDirectory: gateway.dataDir,
    });
    expect((await answersIn(gateway)).map(({ master_key_id }) => master_key_id)).toEqual([masterKeyId]);
    expect(await cacheOfEach(ask)).toEqual(['hit']);
  });

  it('and can not be opened is asked anew', async () => {
    const gateway = await startMoneyGateway();
    const ask = () => gateway.chat('test/free', CACHE);
    await ask();
    await gateway.gateway.database.transact([], (tx) =>
      tx
        .updateTable('cached_answer')
        .set({ ciphertext: Buffer.alloc(64, 1) })
        .execute(),
    );
    const answer = await ask();
    expect([answer.status, bodyOf(answer).usage]).toMatchObject([200, { cost: 0 }]);
    expect(bodyOf(answer).usage).not.toHaveProperty('cached');
    expect(await cacheOfEach(ask)).toEqual(['hit']);
  });

  it.each(['find', 'put', 'touch'] as const)(
    'costs no answer where the database fails at %s',
    async (name) => {
      const gateway = await startMoneyGateway();
      const ask = () => gateway.chat('test/free', CACHE);
      if (name === 'touch') await ask();
      vi.spyOn(gateway.gateway.stores.cachedAnswers, name).mockRejectedValue(new Error('the disk is full'));
      expect((await ask()).status).toBe(200);
      expect(gateway.log.some((line) => line.includes('the disk is full'))).toBe(true);
    },
  );
});
