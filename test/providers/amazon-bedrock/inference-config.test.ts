import { describe, expect, it } from 'vitest';
import type { ChatBody, ChatMessage } from '../../../src/formats/chat/types.js';
import type { Reasoning } from '../../../src/inference/reasoning/reasoning.js';
import { bodyFor, CLAUDE, LLAMA } from './adapter.fixture.js';

const NOVA = 'us.amazon.nova-2-lite-v1:0';
const GPT_OSS = 'openai.gpt-oss-120b-1:0';
const OPUS_48 = 'eu.anthropic.claude-opus-4-8';

describe('tools', () => {
  const tool = (more: object = {}) => ({ type: 'function', function: { name: 'f', ...more } });
  const empty = { json: { type: 'object', properties: {} } };
  const used: ChatMessage[] = [
    { role: 'user', content: 'Hello' },
    {
      role: 'assistant',
      tool_calls: [{ id: '1', type: 'function', function: { name: 'g', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: '1', content: 'x' },
  ];

  it.each<[string, Partial<ChatBody>, unknown]>([
    ['without parameters', { tools: [tool()] }, { tools: [{ toolSpec: { name: 'f', inputSchema: empty } }] }],
    [
      'strict',
      { tools: [tool({ strict: true })] },
      {
        tools: [
          {
            toolSpec: {
              name: 'f',
              inputSchema: { json: { ...empty.json, additionalProperties: false } },
              strict: true,
            },
          },
        ],
      },
    ],
    [
      'cached up to here',
      { tools: [{ ...tool(), cache_control: { type: 'ephemeral' } }] },
      { tools: [{ toolSpec: { name: 'f', inputSchema: empty } }, { cachePoint: { type: 'default' } }] },
    ],
    [
      'auto',
      { tools: [tool()], tool_choice: 'auto' },
      { tools: [{ toolSpec: { name: 'f', inputSchema: empty } }] },
    ],
    ['none', { tools: [tool()], tool_choice: 'none' }, undefined],
    ['none there', { tools: [] }, undefined],
    [
      'used before, and gone',
      { messages: used },
      { tools: [{ toolSpec: { name: 'g', inputSchema: empty } }] },
    ],
    [
      'none, and used before',
      { messages: used, tools: [tool()], tool_choice: 'none' },
      { tools: [{ toolSpec: { name: 'f', inputSchema: empty } }] },
    ],
  ])('%s', (_, body, toolConfig) => {
    expect(bodyFor(body).toolConfig).toEqual(toolConfig);
  });

  it('that must not be called although they are declared get an instruction', () => {
    const { system } = bodyFor({ messages: used, tool_choice: 'none' });
    expect(system).toEqual([{ text: expect.stringMatching(/not call any tool/) }]);
  });

  it('one at a time, where the model supports that', () => {
    const one = { tools: [tool()], parallel_tool_calls: false };
    const disable_parallel_tool_use = true;
    expect(bodyFor(one).additionalModelRequestFields).toEqual({
      tool_choice: { type: 'auto', disable_parallel_tool_use },
    });
    expect(bodyFor({ ...one, tool_choice: 'required' })).toMatchObject({
      toolConfig: { toolChoice: { any: {} } },
      additionalModelRequestFields: { tool_choice: { disable_parallel_tool_use } },
    });
    expect(bodyFor(one, { model: LLAMA }).additionalModelRequestFields).toBeUndefined();
    expect(bodyFor({ parallel_tool_calls: false }).additionalModelRequestFields).toBeUndefined();
  });

  it('of other kinds are refused', () => {
    expect(() => bodyFor({ tools: [{ type: 'web_search' }] })).toThrow(
      'Amazon Bedrock does not take tools of type web_search',
    );
  });
});

describe('length, sampling and reasoning, in the words of each family', () => {
  const on = (effort: Reasoning['effort'] = null, maxTokens: number | null = null): Reasoning => ({
    isEnabled: true,
    effort,
    maxTokens,
  });
  const OFF: Reasoning = { isEnabled: false, effort: null, maxTokens: null };
  const all = { temperature: 1.5, top_p: 0.9, top_k: 7, max_tokens: 8000, stop: ['x', ' '] };

  it.each<[string, string, Partial<ChatBody>, Reasoning | null, object]>([
    [
      'Claude takes one sampling of two',
      CLAUDE,
      all,
      null,
      {
        inferenceConfig: { maxTokens: 8000, temperature: 1, stopSequences: ['x'] },
        additionalModelRequestFields: { top_k: 7 },
      },
    ],
    [
      'thinking within a budget',
      CLAUDE,
      all,
      on(null, 2000),
      {
        inferenceConfig: { maxTokens: 8000, stopSequences: ['x'] },
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2000 } },
      },
    ],
    [
      'thinking by an effort',
      CLAUDE,
      { max_tokens: 8000 },
      on('high'),
      {
        inferenceConfig: { maxTokens: 8000 },
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 6400 } },
      },
    ],
    [
      'no thinking without room',
      CLAUDE,
      { max_tokens: 500 },
      on('high'),
      { inferenceConfig: { maxTokens: 500 } },
    ],
    ['no thinking', CLAUDE, {}, OFF, {}],
    [
      'a Claude that decides itself, and takes no sampling',
      OPUS_48,
      all,
      on('xhigh'),
      {
        inferenceConfig: { maxTokens: 8000, stopSequences: ['x'] },
        outputConfig: { effort: 'xhigh' },
        additionalModelRequestFields: { thinking: { type: 'adaptive', display: 'summarized' } },
      },
    ],
    [
      'Nova',
      NOVA,
      { top_k: 7 },
      on('low'),
      {
        additionalModelRequestFields: {
          inferenceConfig: { topK: 7 },
          reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' },
        },
      },
    ],
    [
      'Nova at its most',
      NOVA,
      { temperature: 1, top_k: 7 },
      on('max'),
      { additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } } },
    ],
    [
      'Nova at its most, but not for ever',
      NOVA,
      { temperature: 1, max_tokens: 9 },
      on('max'),
      {
        inferenceConfig: { maxTokens: 9, temperature: 1 },
        additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } },
      },
    ],
    [
      'Nova, not at all',
      NOVA,
      {},
      OFF,
      { additionalModelRequestFields: { reasoningConfig: { type: 'disabled' } } },
    ],
    ['gpt-oss', GPT_OSS, {}, on('minimal'), { additionalModelRequestFields: { reasoning_effort: 'low' } }],
    [
      'others',
      LLAMA,
      all,
      on('high'),
      { inferenceConfig: { maxTokens: 8000, temperature: 1.5, topP: 0.9, stopSequences: ['x'] } },
    ],
  ])('%s', (_, model, body, reasoning, sent) => {
    const { messages, ...rest } = bodyFor(body, { model, reasoning });
    expect(rest).toEqual(sent);
  });

  it('a forced tool call takes precedence over thinking', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const sent = bodyFor({ tools, tool_choice: 'required', max_tokens: 8000 }, { reasoning: on('high') });
    expect(sent.additionalModelRequestFields).toBeUndefined();
  });

  it('an application inference profile is the model that the catalogue names', () => {
    const model = 'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc';
    const endpoint = { modelId: 'anthropic/claude-sonnet-4.5', maxCompletionTokens: 10_000 };
    const sent = bodyFor({}, { model, endpoint, reasoning: on('medium') });
    expect(sent.additionalModelRequestFields).toEqual({ thinking: { type: 'enabled', budget_tokens: 5000 } });
  });
});
