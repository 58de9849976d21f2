import type Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import type { Row } from '../../support/rest.js';
import { RESULTS, THOUGHT, wireFormatOf } from '../platforms/wire-formats.js';
import { clientOf, isNative } from './sdk.fixture.js';

let gateway: PlatformsGateway;
let client: Anthropic;

beforeAll(async () => {
  const reasoning = { mandatory: false, supports_max_tokens: false };
  const model = { name: 'm', upstreamId };
  gateway = await launchPlatforms([{ ...model, overrides: () => ({ reasoning }) }]);
  client = clientOf(gateway);
});
afterAll(() => gateway.stop());

/** Bedrock's has one that takes what is asked for here, as Anthropic's own does. */
function upstreamId(platform: Platform): string {
  return platform.fake === 'bedrock' ? 'anthropic.claude-sonnet-4-6' : wireFormatOf(platform).model;
}

const ANTHROPIC = PLATFORMS.find(({ slug }) => slug === 'anthropic');

/** The plan for an answer with thoughts and two calls. */
function callingAt(platform: Platform): object {
  return wireFormatOf(isNative(platform) && ANTHROPIC !== undefined ? ANTHROPIC : platform).calling;
}

const IMAGE = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } as const;
const ASKED: Anthropic.MessageParam = {
  role: 'user',
  content: [
    { type: 'text', text: 'The weather there?' },
    { type: 'image', source: IMAGE },
  ],
};
const TOOL: Anthropic.Tool = {
  name: 'weather',
  description: 'The weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

async function ask(
  { slug }: Platform,
  messages: Anthropic.MessageParam[],
  isStreamed: boolean,
): Promise<Anthropic.Message> {
  const request: Anthropic.MessageCreateParamsNonStreaming = {
    model: `${slug}/m`,
    max_tokens: 4096,
    system: 'Be brief',
    messages,
    tools: [TOOL],
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: 'low' },
  };
  return isStreamed ? client.messages.stream(request).finalMessage() : client.messages.create(request);
}

function callsIn({ content }: Anthropic.Message): Anthropic.ToolUseBlock[] {
  return content.filter((block) => block.type === 'tool_use');
}

/** The answer as the client sends it back, and the results of its calls, the last first. */
function answered(message: Anthropic.Message): Anthropic.MessageParam[] {
  const results = callsIn(message).map(({ id }, index): Anthropic.ToolResultBlockParam => {
    return {
      type: 'tool_result',
      tool_use_id: id,
      content: [{ type: 'text', text: RESULTS[index] ?? 'Sun' }],
    };
  });
  return [
    { role: 'assistant', content: message.content },
    { role: 'user', content: results.toReversed() },
  ];
}

/** The body of the latest request that the platform's provider received. */
function latest(platform: Platform): Row {
  return { ...(gateway.received(platform)[0] as Row) };
}

describe.each([
  ['in one piece', false],
  ['streamed', true],
])('the same conversation of Anthropic’s client at every platform, %s', (_, isStreamed) => {
  it.each(PLATFORMS)(
    '$slug: image, thinking, parallel calls, and their results in the next turn',
    async (platform) => {
      const { request, followed } = wireFormatOf(platform);
      gateway.plan(platform, 'm', callingAt(platform));
      const first = await ask(platform, [ASKED], isStreamed);
      if (!isNative(platform)) expect(latest(platform)).toMatchObject(request);
      expect(first).toMatchObject({
        id: expect.stringMatching(/^msg_gen-/),
        model: `${platform.slug}/m`,
        stop_reason: 'tool_use',
      });
      const calls = callsIn(first);
      expect(calls.map(({ name, input }) => [name, input])).toEqual([
        ['weather', { city: 'Zürich' }],
        ['weather', { city: 'Zürich' }],
      ]);
      expect(first.content[0]).toMatchObject({ type: 'thinking', thinking: THOUGHT });

      gateway.plan(platform, 'm', {});
      const messages = [ASKED, ...answered(first)];
      const second = await ask(platform, messages, isStreamed);
      if (isNative(platform)) expect(latest(platform).messages).toEqual(messages);
      else
        followed(
          calls.map(({ id }) => id),
          latest(platform),
        );
      expect(second.stop_reason).toBe('end_turn');
      expect(second.content.at(-1)).toMatchObject({ type: 'text', text: 'Grüezi mitenand 👋🏽!' });
      expect(second.usage.output_tokens).toBeGreaterThan(0);
    },
  );
});

describe('a conversation that goes on at another provider', () => {
  it('takes thoughts and calls of every platform to any other, and no mark to any provider', async () => {
    const first = new Map<string, Anthropic.Message>();
    for (const platform of PLATFORMS) {
      gateway.plan(platform, 'm', callingAt(platform));
      first.set(platform.slug, await ask(platform, [ASKED], false));
      gateway.plan(platform, 'm', {});
    }
    expect(JSON.stringify([...first.values()])).toContain('"bw2.');
    for (const platform of PLATFORMS) {
      for (const [from, message] of first) {
        const { stop_reason } = await ask(platform, [ASKED, ...answered(message)], false);
        expect([from, platform.slug, stop_reason]).toEqual([from, platform.slug, 'end_turn']);
      }
      expect(JSON.stringify(gateway.received(platform))).not.toContain('bw2.');
    }
  });
});
