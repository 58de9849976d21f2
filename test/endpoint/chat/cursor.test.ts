/**
 * Cursor asks for chats in three forms: as a Responses request, as a chat with tools of Responses, and, where a model is called
 * Claude, as a chat with tools and blocks of Messages. Where these are from stands beside what reads them.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { refusalOf } from '../../support/rest.js';
import { launchToolChats } from '../platforms/tool-chats.js';

let gateway: PlatformsGateway;
beforeAll(async () => {
  gateway = await launchToolChats();
});
afterAll(() => gateway.stop());

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const READ = { name: 'read_file', description: 'Reads a file.' };
const TOOLS = [{ type: 'function', function: { ...READ, parameters: SCHEMA } }];

const ASKED = { role: 'user', content: 'What is in a.py?' };
const CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'read_file', arguments: '{"path":"a.py"}' },
};
const CHAT = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    ASKED,
    { role: 'assistant', content: 'I look.', tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'call_1', content: 'print(42)' },
    { role: 'user', content: 'And what does it print?' },
  ],
  tools: TOOLS,
  tool_choice: 'auto',
};

const FORMS: readonly (readonly [form: string, body: object])[] = [
  [
    'a Responses request',
    {
      input: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'input_text', text: ASKED.content }] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{"path":"a.py"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'print(42)' },
        { role: 'user', content: 'And what does it print?' },
      ],
      tools: [{ type: 'function', ...READ, parameters: SCHEMA }],
      tool_choice: 'auto',
    },
  ],
  ['a chat with tools of Responses', { ...CHAT, tools: [{ type: 'function', ...READ, parameters: SCHEMA }] }],
  [
    'a chat with tools and blocks of Messages',
    {
      messages: [
        { role: 'system', content: 'Be brief.' },
        ASKED,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'call_1', name: 'read_file', input: { path: 'a.py' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'print(42)' }] },
            { type: 'text', text: 'And what does it print?' },
          ],
        },
      ],
      tools: [{ ...READ, input_schema: SCHEMA }],
      tool_choice: { type: 'auto' },
    },
  ],
];

describe.each(FORMS)('%s, sent to /chat/completions', (_, body) => {
  it.each(PLATFORMS)('is at $slug the chat that it means', async (platform) => {
    expect(await sentFor(platform, body)).toEqual(await sentFor(platform, CHAT));
  });
});

describe('of the tools of a chat', () => {
  it.each(PLATFORMS)(
    'at $slug those of Responses may stand beside its own, custom ones too',
    async (platform) => {
      const custom = { type: 'custom', name: 'ApplyPatch', description: 'Edits files.' };
      const sent = await sentFor(platform, { messages: [ASKED], tools: [...TOOLS, custom] });
      expect(JSON.stringify(sent)).toMatch(/read_file.*ApplyPatch/s);
    },
  );

  it('those of Messages may name their type', async () => {
    const [platform] = PLATFORMS as [Platform];
    const typed = { type: 'custom', ...READ, input_schema: SCHEMA };
    const own = await sentFor(platform, { messages: [ASKED], tools: TOOLS });
    expect(await sentFor(platform, { messages: [ASKED], tools: [typed] })).toEqual(own);
  });

  it('one is forced in the words of any of the three APIs', async () => {
    const [platform] = PLATFORMS as [Platform];
    const forced = (tool_choice: object) =>
      sentFor(platform, { messages: [ASKED], tools: TOOLS, tool_choice });
    const own = await forced({ type: 'function', function: { name: 'read_file' } });
    expect(await forced({ type: 'function', name: 'read_file' })).toEqual(own);
    expect(await forced({ type: 'tool', name: 'read_file' })).toEqual(own);
    const serial = await forced({ type: 'tool', name: 'read_file', disable_parallel_tool_use: true });
    expect(serial).toEqual({ ...(own as object), parallel_tool_calls: false });
  });
});

const RESULT = { type: 'tool_result', tool_use_id: 'call_1', content: 'print(42)' };

it.each([
  [{ type: 'tool_result', content: 'print(42)' }, 'messages[1].content[0].tool_use_id required'],
  [{ type: 'tool_use', name: 'read_file', input: {} }, 'messages[1].content[0].id required'],
  [
    { type: 'image', source: { type: 'file', file_id: 'f' } },
    'messages[2].content[0].source own_key',
    'messages[2].content[0] unsupported',
  ],
  [{ type: 'text', text: 5 }, 'messages[2].content[0].text type'],
])('a block that no chat can have is refused by name: %j', async (block, ...violations) => {
  const body = { model: 'openai/m', messages: [ASKED, { role: 'user', content: [block, RESULT] }] };
  expect(refusalOf(await gateway.use('POST', '/chat/completions', body))).toEqual([
    400,
    'invalid_request',
    ...violations,
  ]);
});

/** What the platform's fake, which refuses what the real one refuses, is sent for the body. */
async function sentFor(platform: Platform, body: object): Promise<unknown> {
  const { status, text } = await gateway.use('POST', '/chat/completions', {
    model: `${platform.slug}/m`,
    max_tokens: 100,
    ...body,
  });
  expect([status, text]).toEqual([200, expect.anything()]);
  return gateway.received(platform)[0];
}
