/** The same conversation in the format of each protocol. */
import { expect } from 'vitest';
import { signatureOf, thinkingBlock } from '../../support/fakes/fake-anthropic/answer.js';
import type { Platform } from '../../support/platforms.js';

const IMAGE_BASE64 = 'iVBORw0KGgo=';
const IMAGE = `data:image/png;base64,${IMAGE_BASE64}`;
export const THOUGHT = 'Hm, well';

/** An image for whoever fetches it, whose name never resolves. */
export const ADDRESS = 'https://images.example/there.png';

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const CITY = { city: 'Zürich' };

/** The request, in the chat format. */
export const TOOLS = [
  {
    type: 'function',
    function: { name: 'weather', description: 'The weather of a city', parameters: PARAMETERS },
  },
];
export const MESSAGES = [
  { role: 'system', content: 'Be brief' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'The weather there?' },
      { type: 'image_url', image_url: { url: IMAGE } },
    ],
  },
];
const SCHEMA = {
  type: 'object',
  properties: { degrees: { type: 'integer', minimum: -90 } },
  required: ['degrees'],
};
export const FORMAT = {
  type: 'json_schema',
  json_schema: { name: 'forecast', schema: SCHEMA, strict: true },
};
export const RESULTS = ['{"degrees":3}', 'Rain'] as const;

/** The format of one protocol. */
export interface WireFormat {
  /** A model with reasoning, vision and structured outputs. */
  readonly model: string;
  /** The plan of its fake for an answer with thinking and two tool calls. */
  readonly calling: object;
  /** The first request. */
  readonly request: object;
  /** What the second request adds to the first's messages: thinking and calls, then the results. */
  readonly followed: (ids: readonly string[], body: Readonly<Record<string, unknown>>) => void;
  /** The structured output. */
  readonly held: object;
  /** An image by URL, as it is sent; null where the provider accepts none, so that the gateway fetches it. */
  readonly image: object | null;
  /** The cache marks of a message and a tool. */
  readonly marks: readonly string[];
  /** The provider's finish reason of an answer with tool calls. */
  readonly nativeFinish: string;
}

/** OpenAI's, which ours extends. */
const chat: WireFormat = {
  model: 'gpt-m',
  calling: { toolCalls: 2, reasoning: ['Hm,', ' well'], thoughts: ['Hm,', ' well'] },
  request: { messages: MESSAGES, tools: TOOLS, reasoning_effort: 'low' },
  followed([first, second], { messages }) {
    const call = (id: string | undefined) => ({
      id,
      type: 'function',
      function: { name: 'weather', arguments: expect.stringMatching(/^\{"city":\s*"Zürich"\}$/) },
    });
    expect(messages).toEqual([
      ...MESSAGES,
      { role: 'assistant', content: null, tool_calls: [call(first), call(second)] },
      { role: 'tool', tool_call_id: second, content: RESULTS[1] },
      { role: 'tool', tool_call_id: first, content: RESULTS[0] },
    ]);
  },
  // Its objects are open, which OpenAI refuses of a strict one.
  held: { response_format: { type: 'json_schema', json_schema: { name: 'forecast', schema: SCHEMA } } },
  image: { type: 'image_url', image_url: { url: ADDRESS } },
  marks: [],
  nativeFinish: 'tool_calls',
};

const toolUse = (id: string) => ({ type: 'tool_use', id, name: 'weather', input: CITY });

/** Anthropic's. */
const messages: WireFormat = {
  model: 'claude-sonnet-4-6',
  calling: { content: [thinkingBlock(THOUGHT), toolUse('toolu_1'), toolUse('toolu_2')] },
  request: {
    system: [{ type: 'text', text: 'Be brief' }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'The weather there?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: IMAGE_BASE64 } },
        ],
      },
    ],
    tools: [{ name: 'weather', description: 'The weather of a city', input_schema: PARAMETERS }],
    thinking: { type: 'adaptive' },
    output_config: { effort: 'low' },
  },
  followed(_, body) {
    const turns = body.messages as { content: unknown }[];
    const result = (tool_use_id: string, text: string) => ({
      type: 'tool_result',
      tool_use_id,
      content: [{ type: 'text', text }],
    });
    expect(turns.slice(1)).toEqual([
      { role: 'assistant', content: [thinkingBlock(THOUGHT), toolUse('toolu_1'), toolUse('toolu_2')] },
      { role: 'user', content: [result('toolu_2', RESULTS[1]), result('toolu_1', RESULTS[0])] },
    ]);
  },
  held: {
    output_config: {
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          required: ['degrees'],
          additionalProperties: false,
          properties: { degrees: { type: 'integer', description: '{minimum: -90}' } },
        },
      },
    },
  },
  image: { type: 'image', source: { type: 'url', url: ADDRESS } },
  marks: ['cache_control', 'cache_control'],
  nativeFinish: 'tool_use',
};

/** Bedrock's operation Converse. */
const converse: WireFormat = {
  model: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
  calling: { toolCalls: 2, reasoning: ['Hm,', ' well'] },
  request: {
    system: [{ text: 'Be brief' }],
    messages: [
      {
        role: 'user',
        content: [
          { text: 'The weather there?' },
          { image: { format: 'png', source: { bytes: IMAGE_BASE64 } } },
        ],
      },
    ],
    toolConfig: {
      tools: [
        {
          toolSpec: {
            name: 'weather',
            description: 'The weather of a city',
            inputSchema: { json: PARAMETERS },
          },
        },
      ],
    },
    additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } },
  },
  followed(ids, body) {
    const turns = body.messages as { content: unknown }[];
    const calls = ids.map((toolUseId) => ({ toolUse: { toolUseId, name: 'weather', input: CITY } }));
    const results = ids.map((toolUseId, index) => ({
      toolResult: { toolUseId, content: [{ text: RESULTS[index] }] },
    }));
    const reasoningText = { text: THOUGHT, signature: signatureOf(THOUGHT) };
    expect(turns.slice(1)).toEqual([
      { role: 'assistant', content: [{ reasoningContent: { reasoningText } }, ...calls] },
      { role: 'user', content: results.toReversed() },
    ]);
  },
  held: {
    outputConfig: {
      textFormat: {
        type: 'json_schema',
        structure: { jsonSchema: { name: 'forecast', schema: expect.stringContaining('"degrees"') } },
      },
    },
  },
  image: null,
  marks: ['cachePoint', 'cachePoint'],
  nativeFinish: 'tool_use',
};

const functionCall = { name: 'weather', args: CITY };

/** Google's own. */
const gemini: WireFormat = {
  model: 'gemini-3-flash-preview',
  calling: {
    parts: [
      { text: THOUGHT, thought: true },
      { functionCall, thoughtSignature: 'CvcQAePx=' },
      { functionCall },
    ],
  },
  request: {
    systemInstruction: { parts: [{ text: 'Be brief' }] },
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'The weather there?' },
          { inlineData: { mimeType: 'image/png', data: IMAGE_BASE64 } },
        ],
      },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'weather', description: 'The weather of a city', parametersJsonSchema: PARAMETERS },
        ],
      },
    ],
    generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' } },
  },
  followed(_, { contents }) {
    const response = (value: object) => ({ functionResponse: { name: 'weather', response: value } });
    expect((contents as object[]).slice(1)).toEqual([
      { role: 'model', parts: [{ functionCall, thoughtSignature: 'CvcQAePx=' }, { functionCall }] },
      { role: 'user', parts: [response({ degrees: 3 }), response({ output: 'Rain' })] },
    ]);
  },
  held: { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: SCHEMA } },
  image: { fileData: { mimeType: 'image/png', fileUri: ADDRESS } },
  marks: [],
  nativeFinish: 'STOP',
};

export function wireFormatOf({ slug, fake }: Platform): WireFormat {
  switch (slug) {
    case 'vertex-gemini':
      return gemini;
    case 'vertex-claude':
      return { ...messages, model: 'claude-sonnet-4-6@20260101', image: null };
    case 'vertex-open':
      return { ...chat, model: 'meta/llama-m' };
  }
  switch (fake) {
    case 'anthropic':
      return messages;
    case 'bedrock':
      return converse;
    default:
      return chat;
  }
}
