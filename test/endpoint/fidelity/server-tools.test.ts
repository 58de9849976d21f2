import { describe, expect, it } from 'vitest';
import type { Row } from '../../support/rest.js';
import { messageOf, onPlatforms } from './platform.js';

const TOOLS = [{ type: 'web_search_20250305', name: 'web_search' }];

/**
 * A turn in which Anthropic searched:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools, and `ContentBlock` of the official client.
 */
const SEARCHED = [
  { type: 'text', text: 'Let me look. ', citations: null },
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'weather' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [
      {
        type: 'web_search_result',
        url: 'https://a.example',
        title: 'A',
        encrypted_content: 'EqgfCio',
        page_age: null,
      },
    ],
  },
  {
    type: 'text',
    text: 'It rains.',
    citations: [
      {
        type: 'web_search_result_location',
        url: 'https://a.example',
        title: 'A',
        cited_text: 'Rain all day',
        encrypted_index: 'Eo8BCio',
      },
    ],
  },
];

const ANNOTATION = {
  type: 'url_citation',
  url_citation: {
    url: 'https://a.example',
    title: 'A',
    content: 'Rain all day',
    start_index: 13,
    end_index: 22,
  },
};

describe.each(['anthropic', 'vertex-claude'])('F10: tools that the provider runs, at %s', (slug) => {
  const { ask, stream, plan, sent } = onPlatforms();

  it('their blocks are in `provider_blocks`, their sources in `annotations`', async () => {
    plan(slug, { content: SEARCHED, stopReason: 'end_turn' });
    expect(messageOf(await ask(slug, { tools: TOOLS }))).toMatchObject({
      content: 'Let me look. It rains.',
      annotations: [ANNOTATION],
      provider_blocks: { format: 'anthropic-claude-v1', blocks: SEARCHED },
    });
  });

  it('and the same in a stream', async () => {
    plan(slug, { content: SEARCHED, stopReason: 'end_turn' });
    const message = joined(await stream(slug, { tools: TOOLS }));
    expect(message).toEqual({
      role: 'assistant',
      content: 'Let me look. It rains.',
      annotations: [ANNOTATION],
      provider_blocks: { format: 'anthropic-claude-v1', blocks: withoutNulls(SEARCHED) },
    });
  });

  it.each([false, true])(
    'a paused turn says so, and goes on when it is sent back (streamed: %s)',
    async (isStream) => {
      const paused = SEARCHED.slice(1, 3);
      plan(slug, { content: paused, stopReason: 'pause_turn' });
      const ended = isStream ? await stream(slug, { tools: TOOLS }) : [await ask(slug, { tools: TOOLS })];
      const message = isStream ? joined(ended) : messageOf(ended[0] ?? {});
      const finish = ended.flatMap(({ choices }) => choices as Row[]).at(-1);
      expect(finish).toMatchObject({ finish_reason: 'stop', native_finish_reason: 'pause_turn' });
      plan(slug, {});
      const messages = [
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', ...message },
      ];
      expect((await ask(slug, { tools: TOOLS, messages })).error).toBeUndefined();
      expect((sent(slug).messages as Row[])[1]).toEqual({ role: 'assistant', content: paused });
    },
  );

  it('an ordinary answer has neither', async () => {
    plan(slug, {});
    const message = messageOf(await ask(slug));
    expect(Object.keys(message)).not.toContain('provider_blocks');
    expect(Object.keys(message)).not.toContain('annotations');
  });

  it('excluded reasoning is left out of the blocks too', async () => {
    const thought = { type: 'thinking', thinking: 'Hm', signature: 'c2ln' };
    plan(slug, { content: [thought, ...SEARCHED], stopReason: 'end_turn' });
    const more = { tools: TOOLS, reasoning: { exclude: true } };
    for (const message of [messageOf(await ask(slug, more)), joined(await stream(slug, more))]) {
      expect(JSON.stringify(message)).not.toContain('Hm');
      expect(message.provider_blocks).toMatchObject({ blocks: { length: SEARCHED.length } });
    }
  });
});

describe('F10: a turn with a provider’s own blocks elsewhere', () => {
  const { ask, plan, sent } = onPlatforms();

  it.each(['openai', 'bedrock-key', 'vertex-gemini'])('is sent to %s without them', async (slug) => {
    plan('anthropic', { content: SEARCHED, stopReason: 'end_turn' });
    const message = messageOf(await ask('anthropic', { tools: TOOLS }));
    const messages = [
      { role: 'user', content: 'Weather?' },
      message,
      { role: 'user', content: 'And tomorrow?' },
    ];
    expect((await ask(slug, { messages })).error).toBeUndefined();
    expect(JSON.stringify(sent(slug))).toContain('It rains.');
    expect(JSON.stringify(sent(slug))).not.toContain('srvtoolu_1');
  });
});

/** The message that the deltas add up to. */
function joined(chunks: readonly Row[]): Row {
  const message: Record<string, unknown> = {};
  for (const { choices } of chunks) {
    for (const [name, value] of Object.entries(((choices as Row[])[0]?.delta ?? {}) as Row)) {
      const before = message[name];
      message[name] =
        typeof value === 'string' && name !== 'role'
          ? `${before ?? ''}${value}`
          : Array.isArray(value) && Array.isArray(before)
            ? [...before, ...value]
            : value;
    }
  }
  return message;
}

/** A stream does not tell that a text has no citations. */
function withoutNulls(blocks: readonly object[]): unknown {
  return blocks.map((block) => expect.objectContaining(block));
}
