/** Chat requests, and the same requests for the official client. */
import { FunctionCallingConfigMode, type GenerateContentParameters, ThinkingLevel } from '@google/genai';
import type { ChatBody } from '../../../src/formats/chat/types.js';
import type { Reasoning } from '../../../src/inference/reasoning/reasoning.js';
import { SIGNATURE } from '../../support/fakes/fake-vertex/answer.js';

const schema = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false };
export const chatTools = [
  { type: 'function', function: { name: 'weather', description: 'It', parameters: schema, strict: true } },
];
export const tools = [
  { functionDeclarations: [{ name: 'weather', description: 'It', parametersJsonSchema: schema }] },
];

/** A chat request, and the same request for the official client. */
interface Same {
  readonly body: Partial<ChatBody>;
  readonly reasoning?: Reasoning;
  readonly model?: string;
  readonly params: Partial<GenerateContentParameters>;
}

const call = (id: string, city: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
});

export const SAME: readonly (readonly [string, Same])[] = [
  ['no options', { body: {}, params: {} }],
  [
    'instructions and a conversation',
    {
      body: {
        messages: [
          { role: 'system', content: 'Be brief' },
          { role: 'developer', content: 'Be kind' },
          { role: 'user', content: 'Hello' },
          { role: 'assistant', content: 'Hi' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'How' },
              { type: 'text', text: 'are you' },
            ],
          },
        ],
      },
      params: {
        contents: [
          { role: 'user', parts: [{ text: 'Hello' }] },
          { role: 'model', parts: [{ text: 'Hi' }] },
          { role: 'user', parts: [{ text: 'How' }, { text: 'are you' }] },
        ],
        config: { systemInstruction: { parts: [{ text: 'Be brief' }, { text: 'Be kind' }] } },
      },
    },
  ],
  [
    'sampling',
    {
      body: { temperature: 0.2, top_p: 0.9, top_k: 40, seed: 7, n: 2 },
      params: { config: { temperature: 0.2, topP: 0.9, topK: 40, seed: 7, candidateCount: 2 } },
    },
  ],
  [
    'penalties, before Gemini 2.5',
    {
      model: 'gemini-2.0-flash',
      body: { presence_penalty: 0.5, frequency_penalty: -0.5 },
      params: { config: { presencePenalty: 0.5, frequencyPenalty: -0.5 } },
    },
  ],
  [
    'limits and log probabilities',
    {
      body: { max_completion_tokens: 2, max_tokens: 3, stop: 'END', logprobs: true, top_logprobs: 2 },
      params: { config: { maxOutputTokens: 2, stopSequences: ['END'], responseLogprobs: true, logprobs: 2 } },
    },
  ],
  [
    'a form',
    {
      body: { response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } } },
      params: { config: { responseMimeType: 'application/json', responseJsonSchema: schema } },
    },
  ],
  [
    'tools, of which one has to be called',
    {
      body: { tools: chatTools, tool_choice: { type: 'function', function: { name: 'weather' } } },
      params: {
        config: {
          tools,
          toolConfig: {
            functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['weather'] },
          },
        },
      },
    },
  ],
  [
    'parallel calls and their results',
    {
      model: 'gemini-3.1-pro-preview',
      body: {
        tools: chatTools,
        messages: [
          { role: 'user', content: 'Weather?' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [call('a', 'Bern'), call('b', 'Chur')],
            reasoning_details: [
              { type: 'reasoning.encrypted', data: SIGNATURE, id: 'a', format: 'google-gemini-v1', index: 0 },
            ],
          },
          { role: 'tool', tool_call_id: 'b', content: '{"degrees":3}' },
          { role: 'tool', tool_call_id: 'a', content: 'sunny' },
        ],
      },
      params: {
        contents: [
          { role: 'user', parts: [{ text: 'Weather?' }] },
          {
            role: 'model',
            parts: [
              { functionCall: { name: 'weather', args: { city: 'Bern' } }, thoughtSignature: SIGNATURE },
              { functionCall: { name: 'weather', args: { city: 'Chur' } } },
            ],
          },
          {
            role: 'user',
            parts: [
              { functionResponse: { name: 'weather', response: { output: 'sunny' } } },
              { functionResponse: { name: 'weather', response: { degrees: 3 } } },
            ],
          },
        ],
        config: { tools },
      },
    },
  ],
  [
    'media',
    {
      body: {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
              { type: 'image_url', image_url: { url: 'https://example.com/cat.webp?x=1' } },
              {
                type: 'file',
                file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
              },
              { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
              { type: 'video_url', video_url: { url: 'gs://bucket/film.mov' } },
            ],
          },
        ],
      },
      params: {
        contents: [
          {
            role: 'user',
            parts: [
              { inlineData: { mimeType: 'image/png', data: 'iVBORw==' } },
              { fileData: { mimeType: 'image/webp', fileUri: 'https://example.com/cat.webp?x=1' } },
              { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
              { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } },
              { fileData: { mimeType: 'video/quicktime', fileUri: 'gs://bucket/film.mov' } },
            ],
          },
        ],
      },
    },
  ],
  [
    'thinking in tokens',
    {
      body: {},
      reasoning: { isEnabled: true, effort: 'medium', maxTokens: null },
      params: { config: { thinkingConfig: { includeThoughts: true, thinkingBudget: 8192 } } },
    },
  ],
  [
    'thinking in levels',
    {
      model: 'gemini-3.5-flash',
      body: {},
      reasoning: { isEnabled: true, effort: 'medium', maxTokens: null },
      params: { config: { thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.MEDIUM } } },
    },
  ],
  [
    'images in the answer, and a voice',
    {
      body: { modalities: ['text', 'image'], audio: { voice: 'Kore', format: 'wav' } },
      params: {
        config: {
          responseModalities: ['TEXT', 'IMAGE'],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
        },
      },
    },
  ],
];
