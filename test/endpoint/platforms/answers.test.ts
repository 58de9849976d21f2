import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerIn } from '../../support/chat-answer.js';
import { thinkingBlock } from '../../support/fakes/fake-anthropic/answer.js';
import { PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import type { Row } from '../../support/rest.js';
import { answerTo, launchToolChats, MODES, TOOL_CHAT, USER } from './tool-chats.js';
import { wireFormatOf } from './wire-formats.js';

let gateway: PlatformsGateway;

beforeAll(async () => {
  gateway = await launchToolChats();
});
afterAll(() => gateway.stop());

function chat(platform: Platform, body: object, stream: boolean) {
  return answerTo(gateway, platform, body, stream);
}

const toolUse = (id: string, city: string) => ({ type: 'tool_use', id, name: 'weather', input: { city } });
const text = (said: string) => ({ type: 'text', text: said });

/** As Claude answers that thinks between what it says and what it calls. */
const BLOCKS = [
  thinkingBlock('First.'),
  text('Let me see 👋. '),
  thinkingBlock('Second.'),
  text('Two places.'),
  toolUse('toolu_1', 'Bern'),
  thinkingBlock('Third.'),
  toolUse('toolu_2', 'Thun'),
];

/** The same as Converse has it. */
const CONVERSED = BLOCKS.map((block: Row) => {
  if (block.type === 'text') return { text: block.text };
  if (block.type === 'tool_use')
    return { toolUse: { toolUseId: block.id, name: block.name, input: block.input } };
  return { reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } };
});

const converseFrames = [
  { event: 'messageStart', payload: { role: 'assistant' } },
  ...CONVERSED.flatMap((block: Row, contentBlockIndex) => {
    const { text: said, toolUse: called, reasoningContent } = block as Record<string, Row | undefined> & Row;
    const delta = (one: object) => ({
      event: 'contentBlockDelta',
      payload: { contentBlockIndex, delta: one },
    });
    const stop = { event: 'contentBlockStop', payload: { contentBlockIndex } };
    if (called !== undefined) {
      const { input, ...start } = called as Row;
      const started = {
        event: 'contentBlockStart',
        payload: { contentBlockIndex, start: { toolUse: start } },
      };
      return [started, delta({ toolUse: { input: JSON.stringify(input) } }), stop];
    }
    if (said !== undefined) return [delta({ text: said }), stop];
    const { text: thought, signature } = (reasoningContent as { reasoningText: Row }).reasoningText;
    return [delta({ reasoningContent: { text: thought } }), delta({ reasoningContent: { signature } }), stop];
  }),
  { event: 'messageStop', payload: { stopReason: 'tool_use' } },
];

const CLAUDES = PLATFORMS.filter(({ slug }) => ['anthropic', 'bedrock-key', 'vertex-claude'].includes(slug));

function planOf({ fake }: Platform, stream: boolean): object {
  if (fake !== 'bedrock') return { content: BLOCKS };
  const message = { role: 'assistant', content: CONVERSED };
  const answer = { output: { message }, stopReason: 'tool_use', usage: { inputTokens: 1, outputTokens: 1 } };
  return stream ? { frames: converseFrames } : { answer };
}

/** The assistant's blocks that the platform's provider was sent last. */
function sentTo(platform: Platform): unknown {
  const { messages } = gateway.received(platform)[0] as { messages: { role: string; content: unknown }[] };
  return messages.find(({ role }) => role === 'assistant')?.content;
}

/** What the results name that an Anthropic was sent last. */
function resultIdsSentTo(platform: Platform): unknown[] {
  const { messages } = gateway.received(platform)[0] as { messages: { content: Row[] | string }[] };
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id }) => tool_use_id);
}

/** What was sent, in blocks of Messages. */
function blocksSentTo(platform: Platform) {
  return platform.fake === 'bedrock'
    ? { sent: sentTo(platform), meant: CONVERSED }
    : { sent: sentTo(platform), meant: BLOCKS };
}

const RESULTS = ['toolu_1', 'toolu_2'].map((tool_call_id) => ({
  role: 'tool',
  tool_call_id,
  content: 'Sun',
}));

describe.each(MODES)('thoughts between texts and calls, %s', (_, stream) => {
  it.each(CLAUDES)('$slug: come back from a chat in their places', async (platform) => {
    gateway.plan(platform, 'm', planOf(platform, stream));
    const message = await chat(platform, { messages: USER }, stream);
    expect(message).toMatchObject({
      content: 'Let me see 👋. Two places.',
      reasoning: 'First.Second.Third.',
    });
    expect(message).not.toHaveProperty('provider_blocks');
    gateway.plan(platform, 'm', {});
    await chat(platform, { messages: [...USER, message, ...RESULTS] }, stream);
    const { sent, meant } = blocksSentTo(platform);
    expect(sent).toEqual(meant);
  });

  it.each(CLAUDES)(
    '$slug: come back in their places from a client that keeps known members of details alone',
    async (platform) => {
      gateway.plan(platform, 'm', planOf(platform, stream));
      const { role, content, tool_calls, reasoning_details } = await chat(
        platform,
        { messages: USER },
        stream,
      );
      const kept = (reasoning_details as Row[]).map(({ type, text: said, signature, id, format, index }) => ({
        type,
        text: said,
        signature,
        id,
        format,
        index,
      }));
      gateway.plan(platform, 'm', {});
      const message = {
        role,
        content: [{ type: 'text', text: content }],
        tool_calls,
        reasoning_details: kept,
      };
      await chat(platform, { messages: [...USER, message, ...RESULTS] }, stream);
      const { sent, meant } = blocksSentTo(platform);
      expect(sent).toEqual(meant);
    },
  );
});

describe('text that follows a call', () => {
  it('comes with all blocks, so that the turn is sent back as it was', async () => {
    const [platform] = CLAUDES as [Platform];
    const content = [text('One.'), toolUse('toolu_1', 'Bern'), text('Two.'), toolUse('toolu_2', 'Thun')];
    for (const [, stream] of MODES) {
      gateway.plan(platform, 'm', { content });
      const answer = await gateway.use('POST', '/chat/completions', {
        model: `${platform.slug}/m`,
        ...TOOL_CHAT,
        messages: USER,
        stream,
      });
      const blocks = { format: 'anthropic-claude-v1', blocks: content };
      expect(answer.text).toContain(JSON.stringify(blocks));
      gateway.plan(platform, 'm', {});
      await chat(
        platform,
        {
          messages: [...USER, { ...answerIn(answer, stream).message, provider_blocks: blocks }, ...RESULTS],
        },
        stream,
      );
      expect(sentTo(platform)).toEqual(content);
    }
  });

  it('has the ids that its results are sent with, whichever the host gave', async () => {
    const [platform] = CLAUDES as [Platform];
    const content = [toolUse('read:0', 'Bern'), text('Two.'), toolUse('read:1', 'Thun')];
    gateway.plan(platform, 'm', { content });
    const message = await chat(platform, { messages: USER }, false);
    gateway.plan(platform, 'm', {});
    const results = ['read:0', 'read:1'].map((tool_call_id) => ({ role: 'tool', tool_call_id, content: '' }));
    await chat(platform, { messages: [...USER, message, ...results] }, false);
    const sent = (sentTo(platform) as Row[]).filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    expect(sent).toEqual(resultIdsSentTo(platform));
    for (const id of sent) expect(id).toMatch(/^[\w-]+$/);
  });
});

describe('the ids of calls', () => {
  it.each(PLATFORMS)(
    '$slug: are the same in no two answers where the host gives none, or gives one twice',
    async (platform) => {
      for (const [, stream] of MODES) {
        const ids: string[] = [];
        for (let answer = 0; answer < 2; answer += 1) {
          gateway.plan(platform, 'm', wireFormatOf(platform).calling);
          const called = ids.map((id) => ({
            id,
            type: 'function',
            function: { name: 'weather', arguments: '{"city":"Bern"}' },
          }));
          const history =
            ids.length === 0
              ? []
              : [
                  { role: 'assistant', content: null, tool_calls: called },
                  ...ids.map((tool_call_id) => ({ role: 'tool', tool_call_id, content: 'Sun' })),
                  ...USER,
                ];
          const { tool_calls = [] } = await chat(
            platform,
            { messages: [...USER, ...history], reasoning: { enabled: false } },
            stream,
          );
          ids.push(...tool_calls.map(({ id }) => id));
        }
        expect(ids.length).toBeGreaterThanOrEqual(2);
        expect(new Set(ids).size).toBe(ids.length);
      }
    },
  );
});
