import { describe, expect, it } from 'vitest';
import { setLimit } from '../../support/limits.js';
import { startMoneyGateway } from '../../support/money.js';
import { startProviders } from '../../support/providers.js';
import { refusalOf, refused } from '../../support/rest.js';
import { CACHE, cacheOf, cacheOfEach } from './cached.js';

const HELLO = [{ role: 'user', content: 'Hello there' }];

describe('requests are the same', () => {
  it.each([
    ['in another order', { messages: [{ content: 'Hello there', role: 'user' }], model: 'test/m' }],
    ['streamed', { stream: true, stream_options: { include_usage: true } }],
    ['by another user', { user: 'ann', metadata: { trace: 'x' }, session_id: 's' }],
    ['with other timeouts', { provider: { timeouts_ms: { total: 1_000 } } }],
    ['for another time', { cache: { ttl: 86_400 } }],
    ['by an alias of the model', { model: 'm' }],
    ['by a list of it', { model: undefined, models: ['test/m'] }],
  ])('%s', async (_, other) => {
    const gateway = await startProviders('shared capacity');
    expect(
      await cacheOfEach(
        () => gateway.chat('test/m', CACHE),
        () => gateway.chat('test/m', { ...CACHE, ...other }),
      ),
    ).toEqual(['miss', 'hit']);
    expect(gateway.alpha.requests).toHaveLength(1);
  });

  it.each([
    ['another text', { messages: [{ role: 'user', content: 'Hello there ' }] }],
    ['one message more', { messages: [...HELLO, { role: 'assistant', content: '' }] }],
    ['another model', { model: 'test/n' }],
    ['a model more to fall back to', { models: ['test/n'] }],
    ['a temperature', { temperature: 0 }],
    ['a seed', { seed: 1 }],
    ['a limit', { max_tokens: 100 }],
    ['another number of choices', { n: 2 }],
    ['a tool', { tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] }],
    ['a preference', { provider: { only: ['alpha'] } }],
    ['a key of the prompt cache', { prompt_cache_key: 'k' }],
    ['a member that nobody knows', { made_up: true }],
  ])('not with %s', async (_, other) => {
    const gateway = await startProviders('shared capacity');
    expect(
      await cacheOfEach(
        () => gateway.chat('test/m', CACHE),
        () => gateway.chat('test/m', { ...CACHE, ...other }),
        () => gateway.chat('test/m', CACHE),
      ),
    ).toEqual(['miss', 'miss', 'hit']);
  });

  it('not with the same models in another order', async () => {
    const gateway = await startProviders('shared capacity');
    const ask =
      (...models: string[]) =>
      () =>
        gateway.chat('', { ...CACHE, model: undefined, models });
    expect(await cacheOfEach(ask('test/m', 'test/n'), ask('test/n', 'test/m'))).toEqual(['miss', 'miss']);
  });

  it('not with integers that differ beyond what numbers hold', async () => {
    const gateway = await startProviders('shared capacity');
    const ask = (seed: string) => () =>
      gateway.use(
        'POST',
        '/chat/completions',
        `{"model": "test/m", "messages": [{"role": "user", "content": "Hi"}], "cache": {"ttl": 60}, "seed": ${seed}}`,
      );
    expect(
      await cacheOfEach(ask('9007199254740993'), ask('9007199254740992'), ask('9007199254740993')),
    ).toEqual(['miss', 'miss', 'hit']);
  });
});

describe('the cache is asked', () => {
  it('for nothing unless the request or its key says so, and the request wins', async () => {
    const gateway = await startMoneyGateway();
    const ask =
      (more: object = {}) =>
      () =>
        gateway.chat('test/free', more);
    expect(await cacheOfEach(ask(), ask(), ask({ cache: null }), ask({ cache: {} }))).toEqual([
      ...[null, null, null, null],
    ]);
    expect(await setLimit(gateway, { cache_ttl: 60 })).toMatchObject({ cache_ttl: 60 });
    expect(await cacheOfEach(ask(), ask(), ask({ stream: true }), ask({ cache: null }))).toEqual([
      ...['miss', 'hit', 'hit', null],
    ]);
    expect(await setLimit(gateway, { name: 'Other' })).toMatchObject({ cache_ttl: 60 });
    expect(await setLimit(gateway, { cache_ttl: null })).toMatchObject({ cache_ttl: null });
    expect(await cacheOfEach(ask(), ask(CACHE))).toEqual([null, 'hit']);
  });

  it('for messages, responses and text completions never, whatever the key says', async () => {
    const gateway = await startMoneyGateway();
    await setLimit(gateway, { cache_ttl: 60 });
    for (const [path, body] of [
      ['/messages', { max_tokens: 50, messages: HELLO }],
      ['/responses', { input: 'Hello' }],
      ['/completions', { prompt: 'Hello', suffix: '!' }],
    ] as const) {
      const ask = () => gateway.use('POST', path, { model: 'test/free', ...body });
      await ask();
      const again = await ask();
      expect([path, cacheOf(again)]).toEqual([path, null]);
    }
  });

  it('for a time from a second to a day, else it is 400', async () => {
    const gateway = await startMoneyGateway();
    for (const [cache, violation] of [
      [{ ttl: 0 }, 'cache.ttl range'],
      [{ ttl: 86_401 }, 'cache.ttl range'],
      [{ ttl: 1.5 }, 'cache.ttl type'],
      [{ ttl: 60, tll: 1 }, 'cache.tll unknown'],
      [true, 'cache type'],
    ] as const)
      expect(refusalOf(await gateway.chat('test/free', { cache }))).toEqual([
        400,
        'invalid_request',
        violation,
      ]);
    for (const cache_ttl of [0, 86_401])
      expect(
        await refused(gateway, () => gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, { cache_ttl })),
      ).toEqual([400, 'invalid_request', 'cache_ttl range']);
  });

  it('of no installation whose size is 0', async () => {
    const gateway = await startMoneyGateway({ env: { BYWAY_CACHE_MAX_MB: '0' } });
    const ask = () => gateway.chat('test/free', CACHE);
    expect(await cacheOfEach(ask, ask)).toEqual([null, null]);
  });

  it('without a provider being told of it', async () => {
    const gateway = await startProviders('BYOK keys');
    const { id } = await gateway.ask('in one piece', CACHE);
    expect(id).toMatch(/^gen-/);
    expect(gateway.alpha.requests.map(({ body }) => 'cache' in (body as object))).toEqual([false]);
  });
});
