import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerIn, type ChatAnswer } from '../../support/chat-answer.js';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import type { Row } from '../../support/rest.js';
import { ADDRESS, FORMAT, MESSAGES, RESULTS, THOUGHT, TOOLS, wireFormatOf } from './wire-formats.js';

let gateway: PlatformsGateway;

beforeAll(async () => {
  const reasoning = { mandatory: false, supports_max_tokens: false };
  const model = { name: 'm', upstreamId: (platform: Platform) => wireFormatOf(platform).model };
  gateway = await launchPlatforms([{ ...model, overrides: () => ({ reasoning }) }]);
});
afterAll(() => gateway.stop());

async function ask({ slug }: Platform, body: object, stream: boolean): Promise<ChatAnswer> {
  const request = { model: `${slug}/m`, ...body, ...(stream && { stream }) };
  const answer = await gateway.use('POST', '/chat/completions', request);
  expect([slug, answer.status, answer.text]).toEqual([slug, 200, expect.anything()]);
  return answerIn(answer, stream);
}

/** The body of the latest request that the platform's provider received. */
function latest(platform: Platform): Row {
  return { ...(gateway.received(platform)[0] as Row) };
}

/** The content parts of the last message, in any protocol. */
function lastContent({ messages, contents }: Row): unknown {
  const { content, parts } = ((messages ?? contents) as Row[]).at(-1) ?? {};
  return content ?? parts;
}

const MODES = [
  ['in one piece', false],
  ['streamed', true],
] as const;

describe.each(MODES)('the same conversation at every platform, %s', (_, stream) => {
  it.each(PLATFORMS)(
    '$slug: image, thinking, parallel tool calls, and their results in the next turn',
    async (platform) => {
      const { calling, request, followed, nativeFinish } = wireFormatOf(platform);
      gateway.plan(platform, 'm', calling);
      const first = await ask(
        platform,
        { messages: MESSAGES, tools: TOOLS, reasoning: { effort: 'low' } },
        stream,
      );
      expect(latest(platform)).toMatchObject(request);
      const { message } = first;
      expect(first).toMatchObject({ finish_reason: 'tool_calls', native_finish_reason: nativeFinish });
      expect(message).toMatchObject({ role: 'assistant', content: null, reasoning: THOUGHT });
      const calls = message.tool_calls ?? [];
      expect(calls.map((call) => JSON.parse(call.function.arguments))).toEqual([
        { city: 'Zürich' },
        { city: 'Zürich' },
      ]);
      const ids = calls.map(({ id }) => id);
      expect(new Set(ids).size).toBe(2);

      gateway.plan(platform, 'm', {});
      const results = ids.map((tool_call_id, index) => ({
        role: 'tool',
        tool_call_id,
        content: RESULTS[index],
      }));
      const second = await ask(
        platform,
        {
          messages: [...MESSAGES, message, ...results.toReversed()],
          tools: TOOLS,
          reasoning: { effort: 'low' },
        },
        stream,
      );
      followed(ids, latest(platform));
      expect(second).toMatchObject({
        message: { content: 'Grüezi mitenand 👋🏽!' },
        finish_reason: 'stop',
      });
    },
  );

  it.each(PLATFORMS)('$slug: a structured output by JSON schema', async (platform) => {
    gateway.plan(platform, 'm', { words: ['{"degrees"', ': 3}'] });
    const { message } = await ask(platform, { messages: MESSAGES, response_format: FORMAT }, stream);
    expect(latest(platform)).toMatchObject(wireFormatOf(platform).held);
    expect(JSON.parse(String(message.content))).toEqual({ degrees: 3 });
  });
});

describe('an image by URL', () => {
  it.each(PLATFORMS)(
    '$slug: is passed on, or fetched; where it can’t be, nothing is sent',
    async (platform) => {
      const { image } = wireFormatOf(platform);
      const content = [{ type: 'image_url', image_url: { url: ADDRESS } }];
      const body = { model: `${platform.slug}/m`, messages: [{ role: 'user', content }] };
      const before = gateway.received(platform).length;
      const answer = await gateway.use('POST', '/chat/completions', body);
      expect(answer.status).toBe(image === null ? 400 : 200);
      if (image === null) expect(gateway.received(platform)).toHaveLength(before);
      else expect(lastContent(latest(platform))).toEqual([image]);
    },
  );
});

describe('cache_control for a prompt cache', () => {
  it.each(PLATFORMS)('$slug: is passed on where it is supported, and ignored elsewhere', async (platform) => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello there', ...mark }] }];
    const tools = TOOLS.map((tool) => ({ ...tool, ...mark }));
    await ask(platform, { messages, tools }, false);
    const sent = JSON.stringify(latest(platform)).match(/cache_control|cachePoint/g) ?? [];
    expect(sent).toEqual(wireFormatOf(platform).marks);
  });
});

describe('a conversation that continues at another provider (like the next attempt)', () => {
  it('thinking, signatures and ids of every platform are accepted with any other', async () => {
    const text = new Map<string, ChatAnswer['message']>();
    for (const platform of PLATFORMS) {
      gateway.plan(platform, 'm', wireFormatOf(platform).calling);
      const request = { messages: MESSAGES, tools: TOOLS, reasoning: { effort: 'low' } };
      text.set(platform.slug, (await ask(platform, request, false)).message);
      gateway.plan(platform, 'm', {});
    }
    for (const platform of PLATFORMS) {
      for (const message of text.values()) {
        const results = message.tool_calls?.map(({ id }) => ({
          role: 'tool',
          tool_call_id: id,
          content: 'Sun',
        }));
        const messages = [...MESSAGES, message, ...(results ?? [])];
        const { finish_reason } = await ask(
          platform,
          { messages, tools: TOOLS, reasoning: { effort: 'low' } },
          false,
        );
        expect(finish_reason).toBe('stop');
      }
    }
  });
});
