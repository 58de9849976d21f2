import type { ConverseCommandInput } from '@aws-sdk/client-bedrock-runtime';
import type { ChatBody } from '../../../src/formats/chat/types.js';
import { signatureOf } from '../../support/fakes/fake-anthropic/answer.js';

/** The beginning of a PNG in base64. */
export const PNG = 'iVBORw0KGgo=';
const PDF = 'JVBERi0xLjQ=';
const tools = [
  {
    type: 'function',
    function: { name: 'weather', description: 'd', parameters: { type: 'object', properties: {} } },
  },
];
const toolConfig = {
  tools: [
    {
      toolSpec: {
        name: 'weather',
        description: 'd',
        inputSchema: { json: { type: 'object', properties: {} } },
      },
    },
  ],
};

/** Chat requests, and the same requests for the official client. */
export const REQUESTS: [string, Partial<ChatBody>, Partial<ConverseCommandInput>][] = [
  ['no options', {}, {}],
  [
    'sampling',
    { temperature: 0.2, max_tokens: 30, stop: ['a', 'b'], top_k: 5 },
    {
      inferenceConfig: { maxTokens: 30, temperature: 0.2, stopSequences: ['a', 'b'] },
      additionalModelRequestFields: { top_k: 5 },
    },
  ],
  ['tools', { tools, tool_choice: 'required' }, { toolConfig: { ...toolConfig, toolChoice: { any: {} } } }],
  [
    'one tool',
    { tools, tool_choice: { type: 'function', function: { name: 'weather' } } },
    { toolConfig: { ...toolConfig, toolChoice: { tool: { name: 'weather' } } } },
  ],
  [
    'a system, an image and a document',
    {
      messages: [
        { role: 'system', content: 'Be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
            {
              type: 'file',
              file: { filename: 'My file.pdf', file_data: `data:application/pdf;base64,${PDF}` },
            },
          ],
        },
      ],
    },
    {
      system: [{ text: 'Be brief' }],
      messages: [
        {
          role: 'user',
          content: [
            { text: 'What is it?' },
            { image: { format: 'png', source: { bytes: Buffer.from(PNG, 'base64') } } },
            { document: { format: 'pdf', name: 'My file', source: { bytes: Buffer.from(PDF, 'base64') } } },
          ],
        },
      ],
    },
  ],
  [
    'a schema',
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'x', schema: { type: 'object', properties: {}, additionalProperties: false } },
      },
    },
    {
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: {
            jsonSchema: {
              name: 'x',
              schema: '{"type":"object","properties":{},"additionalProperties":false}',
            },
          },
        },
      },
    },
  ],
  [
    'a conversation with tools and thoughts',
    {
      tools,
      messages: [
        { role: 'user', content: 'Hello there' },
        {
          role: 'assistant',
          content: null,
          reasoning_details: [
            {
              type: 'reasoning.text',
              text: 'Hm',
              signature: signatureOf('Hm'),
              format: 'anthropic-claude-v1',
              index: 0,
            },
            { type: 'reasoning.encrypted', data: PNG, format: 'anthropic-claude-v1', index: 1 },
          ],
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"a":1}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' },
        { role: 'user', content: 'And?' },
      ],
    },
    {
      toolConfig,
      messages: [
        { role: 'user', content: [{ text: 'Hello there' }] },
        {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'Hm', signature: signatureOf('Hm') } } },
            { reasoningContent: { redactedContent: Buffer.from(PNG, 'base64') } },
            { toolUse: { toolUseId: 'call_1', name: 'weather', input: { a: 1 } } },
          ],
        },
        {
          role: 'user',
          content: [{ toolResult: { toolUseId: 'call_1', content: [{ text: 'Sunny' }] } }, { text: 'And?' }],
        },
      ],
    },
  ],
];
