import { beforeEach, describe, expect, it } from 'vitest';
import { KnownPrompts, measurePrompt } from '../../src/routing/estimate/known-prompts.js';
import { requestSize } from '../../src/routing/estimate/request-size.js';
import type { Attempt } from '../../src/routing/types.js';
import { demoEndpoint } from '../support/chat.js';

const TOOLS = [{ type: 'function', function: { name: 'read', description: 'Reads a file. '.repeat(20) } }];
const text = (role: string, words: number) => ({ role, content: 'word '.repeat(words) });
const FIRST = [text('system', 200), text('user', 2_000)];
const NEXT = [text('assistant', 20), text('user', 30)];

/** What the provider counts of the first turn; its bytes are some 11,000. */
const COUNTED = 2_300;

const at = (id: string, keyId?: string) =>
  ({
    endpoint: { ...demoEndpoint('m'), id },
    key: keyId === undefined ? null : { id: keyId },
  }) as unknown as Attempt;
const HERE = at('here');

function said(messages: readonly object[], more: object = {}, accountId = 'account') {
  const body = { model: 'm', tools: TOOLS, messages, ...more };
  return measurePrompt(accountId, requestSize(body), { format: 'chat', body });
}

describe('what a provider has counted of a conversation', () => {
  let known: KnownPrompts;
  const tokens = async (messages: readonly object[], more?: object, attempt = HERE, accountId?: string) =>
    known.sizeFor(attempt, await said(messages, more, accountId)).promptTokens;

  beforeEach(async () => {
    known = new KnownPrompts();
    known.learn(HERE, await said(FIRST), COUNTED);
  });

  it('is what its next turn begins with: only what is new is counted by bytes', async () => {
    const next = await tokens([...FIRST, ...NEXT]);
    expect(next).toBeGreaterThan(COUNTED + 250);
    expect(next).toBeLessThan(COUNTED + 350);
    expect(await tokens(FIRST)).toBeLessThan(COUNTED + 10);
  });

  it('is known whatever the sampling, and wherever the marks of caches stand', async () => {
    const marked = FIRST.map(({ role, content }) => ({
      role,
      content,
      cache_control: { type: 'ephemeral' },
    }));
    expect(await tokens([...marked, ...NEXT], { temperature: 0.2, max_tokens: 9 })).toBeLessThan(
      COUNTED + 400,
    );
  });

  it.each<[string, readonly object[], object]>([
    ['other tools', FIRST, { tools: [] }],
    ['another format of the answer', FIRST, { response_format: { type: 'json_object' } }],
    ['another system prompt', [text('system', 201), ...FIRST.slice(1)], {}],
    ['an earlier message that was edited', [FIRST[0] ?? {}, text('user', 2_001)], {}],
  ])('is not of a conversation with %s', async (_, messages, more) => {
    expect(await tokens([...messages, ...NEXT], more)).toBeGreaterThan(9_000);
  });

  it('is of its endpoint, its credential and its account alone', async () => {
    expect(await tokens(FIRST, {}, at('there'))).toBeGreaterThan(9_000);
    expect(await tokens(FIRST, {}, at('here', 'own key'))).toBeGreaterThan(9_000);
    expect(await tokens(FIRST, {}, HERE, 'another account')).toBeGreaterThan(9_000);
  });

  it('ends before media behind a URL, and includes media in the request itself', async () => {
    const image = (url: string) => ({ role: 'user', content: [{ type: 'image_url', image_url: { url } }] });
    for (const [url, isKnown] of [
      ['https://example.com/a.png', false],
      ['data:image/png;base64,iVBORw0KGgo=', true],
    ] as const) {
      const turn = [...FIRST, image(url)];
      known.learn(HERE, await said(turn), 6_000);
      const next = await tokens([...turn, ...NEXT]);
      if (isKnown) expect(next).toBeLessThan(6_400);
      else expect(next).toBeGreaterThan(COUNTED + 16_000);
    }
  });

  it('is never believed to be less than an eighth of the bytes, nor more than each byte', async () => {
    known.learn(HERE, await said(FIRST), 1);
    expect(await tokens(FIRST)).toBeGreaterThan(1_300);
  });

  it('is forgotten once an answer counts more than was reserved', async () => {
    const turn = [...FIRST, ...NEXT];
    known.learn(HERE, await said(turn), COUNTED + 1_000);
    expect(await tokens(FIRST)).toBeGreaterThan(9_000);
    expect(await tokens(turn)).toBeGreaterThan(9_000);
  });

  it('is not of use where the host works by itself, gives several answers, or holds a part of the prompt', async () => {
    for (const more of [{ n: 2 }, { previous_response_id: 'resp_1' }, { web_search_options: {} }])
      expect((await said(FIRST, more)).prefixes).toBeNull();
  });
});
