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
  return measurePrompt(accountId, requestSize(body), { format: 'chat', body }, true);
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

  it.each<[string, object]>([
    ['a file by its address', { type: 'file', file: { file_data: 'https://example.com/a.pdf' } }],
    [
      'sound by its address',
      { type: 'input_audio', input_audio: { data: 'https://example.com/a.wav', format: 'wav' } },
    ],
    ['a part of an unknown kind', { type: 'video', video: 'https://example.com/a.mp4' }],
  ])('ends before %s', async (_, part) => {
    const turn = [...FIRST, { role: 'user', content: [part] }];
    expect((await said(turn)).prefixes?.hashes).toHaveLength(FIRST.length);
  });

  it('ends before images and blocks that stand beside the content of a message', async () => {
    const image_url = { url: 'https://example.com/a.png' };
    for (const more of [
      { images: [{ type: 'image_url', image_url }] },
      { provider_blocks: { blocks: [{ type: 'image', source: { type: 'url', url: image_url.url } }] } },
      { audio: { id: 'audio_1' } },
    ]) {
      const turn = [...FIRST, { role: 'assistant', content: 'See', ...more }];
      expect((await said(turn)).prefixes?.hashes).toHaveLength(FIRST.length);
    }
  });

  it('is not of a conversation whose own words are called as marks of caches are', async () => {
    const tools = (cache_control: string) => [
      { type: 'function', function: { name: 'f', parameters: { properties: { a: { cache_control } } } } },
    ];
    known.learn(HERE, await said(FIRST, { tools: tools('') }), 3_000);
    expect(await tokens(FIRST, { tools: tools('x'.repeat(50_000)) })).toBeGreaterThan(50_000);
  });

  it.each([
    ['context_management', { edits: [{ type: 'clear_tool_uses_20250919' }] }],
    ['thinking', { type: 'enabled', budget_tokens: 1_024 }],
    ['reasoning_effort', 'high'],
  ])(
    'is not of a conversation with another `%s`, which decides how much of it is sent',
    async (name, value) => {
      expect(await tokens([...FIRST, ...NEXT], { [name]: value })).toBeGreaterThan(9_000);
    },
  );

  it('keeps the kind of its tokens: a file that is known may still be billed as sound', async () => {
    const file = { type: 'file', file: { file_data: 'data:audio/wav;base64,AAAA' } };
    const turn = [...FIRST, { role: 'user', content: [file] }];
    known.learn(HERE, await said(turn), 3_000);
    const next = known.sizeFor(HERE, await said([...turn, ...NEXT]));
    expect(next).toMatchObject({ hasFiles: true, fillsContext: false });
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
