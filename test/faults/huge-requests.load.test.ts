import { describe, expect, it } from 'vitest';
import { startFakeHost } from '../support/fakes/fake-openai/hosts.js';
import { MODES, startProviders } from '../support/providers.js';
import { refusalOf, refused } from '../support/rest.js';

const MESSAGES = { role: 'user', content: 'x' };
const PART = { type: 'text', text: 'x' };
const TOOL = { type: 'function', function: { name: 'f' } };
const many = (count: number, one: object) => Array.from({ length: count }, () => one);

/** In front of hosts without limits of their own. */
const start = () => startProviders('shared capacity', { startFake: () => startFakeHost('unknown') });

/** Chats with `count` of something. */
const LISTS: readonly (readonly [string, (count: number) => object])[] = [
  ['messages', (count) => ({ messages: many(count, MESSAGES) })],
  ['messages[0].content', (count) => ({ messages: [{ role: 'user', content: many(count, PART) }] })],
  ['tools', (count) => ({ tools: many(count, TOOL) })],
];

describe.each(MODES)('requests with too many elements, %s', (mode) => {
  it.each(LISTS)(
    '%s: 10,000 are served, more are refused before anything is sent or reserved',
    async (field, of) => {
      const gateway = await start();
      const more = { stream: mode === 'streamed' };
      expect((await gateway.ask(mode, of(10_000))).status).toBe(200);
      expect(gateway.alpha.requests).toHaveLength(1);
      for (const [count, refusedAs] of [
        [10_001, field],
        [200_000, ''],
      ] as const) {
        const call = () => gateway.chat('test/m', { ...more, ...of(count) });
        expect(await refused(gateway, call)).toEqual([400, 'invalid_request', `${refusedAs} count`]);
      }
      expect(gateway.alpha.requests).toHaveLength(1);
    },
  );

  it('many content parts in each of many messages are served up to a total, and refused beyond it', async () => {
    const gateway = await start();
    const conversation = (parts: number) => ({
      stream: mode === 'streamed',
      messages: many(10_000, { role: 'user', content: many(parts, PART) }),
    });
    expect((await gateway.chat('test/m', conversation(2))).status).toBe(200);
    const call = () => gateway.chat('test/m', conversation(4));
    expect(await refused(gateway, call)).toEqual([400, 'invalid_request', ' count']);
    expect(gateway.alpha.requests).toHaveLength(1);
  });

  it('a huge body for an unknown model, or beyond the maximum size, costs no attempt and no row', async () => {
    const gateway = await start();
    const huge = (mebibytes: number) => ({
      stream: mode === 'streamed',
      messages: [{ role: 'user', content: 'word '.repeat(mebibytes * 209_715) }],
    });
    const unknown = () => gateway.chat('test/none', huge(30));
    expect((await refused(gateway, unknown)).slice(0, 2)).toEqual([400, 'unknown_model']);
    const tooLarge = () => gateway.chat('test/m', huge(33));
    expect((await refused(gateway, tooLarge))[0]).toBe(413);
    const stranger = () => gateway.chat('test/m', huge(30), 'bw-v1-wrong');
    expect(await refused(gateway, stranger)).toEqual([401, 'invalid_api_key']);
    expect(gateway.alpha.requests).toHaveLength(0);
  });
});

it('explain has the same limits', async () => {
  const gateway = await start();
  const explain = (body: object) => gateway.use('POST', '/routing/explain', { model: 'test/m', ...body });
  expect((await explain({ messages: many(10_000, MESSAGES), tools: many(10_000, TOOL) })).status).toBe(200);
  const answer = await explain({ messages: many(10_001, MESSAGES), tools: many(10_001, TOOL) });
  expect(refusalOf(answer)).toEqual([400, 'invalid_request', 'messages count', 'tools count']);
});
