import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';

const TEXT = 'Grüezi mitenand 👋🏽!';
const HELLO: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hello there' }];
const WEATHER: Anthropic.Tool = {
  name: 'weather',
  description: 'The weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
};
/** A single pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function isClaude({ family }: Platform): boolean {
  return family.includes('claude');
}

/** Claude where the platform has it, one that takes thoughts and schemas. */
function upstreamId(platform: Platform): string | undefined {
  if (platform.slug === 'bedrock-signed') return 'us.anthropic.claude-sonnet-4-6';
  return isClaude(platform) ? platform.family.replace('claude-3-haiku-', 'claude-sonnet-4-6') : undefined;
}

let gateway: PlatformsGateway;
let client: Anthropic;
beforeAll(async () => {
  gateway = await launchPlatforms([{ name: 'm', upstreamId }]);
  client = new Anthropic({ baseURL: `${gateway.url}/api`, apiKey: gateway.apiKey, maxRetries: 0 });
});
afterAll(() => gateway.stop());

type Asked = Partial<Anthropic.MessageCreateParamsNonStreaming>;

/** The message in one piece, and the one that the SDK puts together of the stream. */
async function both(model: string, more: Asked = {}): Promise<Anthropic.Message[]> {
  const asked = { model, max_tokens: 2048, messages: HELLO, ...more };
  const whole = await client.messages.create(asked);
  const streamed = await client.messages.stream(asked).finalMessage();
  return [whole, streamed];
}

const shown = ({ type, role, model, content, stop_reason }: Anthropic.Message) => ({
  ...{ type, role, model, stop_reason },
  content: content.map((block) => {
    if (block.type === 'text') return block.text;
    if (block.type === 'tool_use') return [block.name, block.input];
    return block.type === 'thinking' ? { thinking: block.thinking } : block.type;
  }),
});

describe.each(PLATFORMS)("Anthropic's SDK for TypeScript, with $slug", (platform) => {
  const model = `${platform.slug}/m`;
  const head = { type: 'message', role: 'assistant', model };
  const said = { ...head, stop_reason: 'end_turn', content: [TEXT] };

  it('hears the same in one piece and streamed', async () => {
    for (const message of await both(model)) {
      expect(shown(message)).toEqual(said);
      expect(message.id).toMatch(/^msg_/);
      expect(message.usage.input_tokens).toBeGreaterThan(0);
      expect(message.usage.output_tokens).toBeGreaterThan(0);
    }
  });

  it('calls a tool and answers its result', async () => {
    for (const called of await both(model, { tools: [WEATHER] })) {
      const content = [['weather', { city: 'Zürich' }]];
      expect(shown(called)).toEqual({ ...head, stop_reason: 'tool_use', content });
      const [call] = called.content.filter((block) => block.type === 'tool_use');
      const result: Anthropic.ToolResultBlockParam = {
        type: 'tool_result',
        tool_use_id: call?.id ?? '',
        content: [{ type: 'text', text: 'Rain' }],
      };
      const messages: Anthropic.MessageParam[] = [
        ...HELLO,
        { role: 'assistant', content: called.content },
        { role: 'user', content: [result] },
      ];
      const answers = await both(model, { tools: [WEATHER], messages });
      expect(answers.map(shown)).toEqual([said, said]);
    }
  });

  it('shows an image, and wants JSON', async () => {
    const content: Anthropic.ContentBlockParam[] = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      { type: 'text', text: 'What is it?' },
    ];
    const images = await both(model, { messages: [{ role: 'user', content }] });
    expect(images.map(shown)).toEqual([said, said]);
    const format = { type: 'json_schema', schema: SCHEMA } as const;
    expect((await both(model, { output_config: { format } })).map(shown)).toEqual([said, said]);
  });

  it.runIf(isClaude(platform))('hears signed thoughts, and sends them back', async () => {
    const thinking = { type: 'enabled', budget_tokens: 1024 } as const;
    for (const thought of await both(model, { thinking })) {
      expect(shown(thought)).toEqual({ ...said, content: [{ thinking: 'Hm, well' }, TEXT] });
      const messages: Anthropic.MessageParam[] = [
        ...HELLO,
        { role: 'assistant', content: thought.content },
        { role: 'user', content: 'Go on' },
      ];
      expect(shown(await client.messages.create({ model, max_tokens: 2048, thinking, messages }))).toEqual(
        shown(thought),
      );
    }
  });

  it('counts tokens, and is told what is wrong', async () => {
    const { input_tokens } = await client.messages.countTokens({ model, messages: HELLO, tools: [WEATHER] });
    expect(input_tokens).toBeGreaterThan(0);
    const unknown = client.messages.create({ model: 'nobody/nothing', max_tokens: 9, messages: HELLO });
    await expect(unknown).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    await expect(unknown).rejects.toMatchObject({ type: 'not_found_error', requestID: expect.any(String) });
  });
});
