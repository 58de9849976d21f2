/** The calls of a probe: cheap, and each for one thing that an adapter relies on. */
import type { Endpoint, Model } from '../../catalog/types.js';
import type { ChatBody, JsonObject } from '../../formats/chat/types.js';

/** The answer to a call, streamed or not. */
export interface ProbeAnswer {
  readonly text: string;
  readonly finishReason: string | null;
  /** Name and arguments of each tool call. */
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  readonly hasUsage: boolean;
  readonly isReasoned: boolean;
}

export interface ProbeCall {
  readonly name: string;
  readonly body: ChatBody;
  readonly isStreamed?: boolean;
  /** A different name for the model than the endpoint's own. */
  readonly model?: string;
  /** The client leaves at the first content. */
  readonly isCancelled?: boolean;
  /** Whether the call makes sense at the endpoint; by default always. */
  isFor?(model: Model, endpoint: Endpoint): boolean;
  /** How the answer differs from what the adapter expects; undefined if it does not. */
  differs?(answer: ProbeAnswer): string | undefined;
  /** Whether a refusal is expected. */
  readonly isRefused?: boolean;
}

const MAX_TOKENS = 300;
const HELLO = [{ role: 'user', content: 'Say hello in one word.' }];
const CITY: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const TOOLS = [
  { type: 'function', function: { name: 'weather', description: 'Weather of a city', parameters: CITY } },
];
const ASKED = { role: 'user', content: 'What is the weather in Bern? Use the tool.' };
const CALLED = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'call_probe_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
  ],
};
const TOOL_BODY = { messages: [ASKED], tools: TOOLS, tool_choice: 'required', max_tokens: MAX_TOKENS };
/** A red pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

export const PROBE_CALLS: readonly ProbeCall[] = [
  { name: 'in one piece', body: { messages: HELLO, max_tokens: MAX_TOKENS }, differs: plain },
  {
    name: 'streamed',
    body: { messages: HELLO, max_tokens: MAX_TOKENS },
    isStreamed: true,
    differs: plain,
  },
  {
    name: 'roles system and developer',
    body: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: 'Be kind.' },
        ...HELLO,
      ],
      max_completion_tokens: MAX_TOKENS,
    },
    differs: plain,
  },
  {
    name: 'limit of tokens',
    body: { messages: [{ role: 'user', content: 'Count to one hundred in words.' }], max_tokens: 16 },
    differs: ({ finishReason }) =>
      finishReason === 'length' ? undefined : `ended as ${finishReason}, not as length`,
  },
  { name: 'tools', body: TOOL_BODY, isFor: takes('tools'), differs: tools },
  { name: 'tools, streamed', body: TOOL_BODY, isStreamed: true, isFor: takes('tools'), differs: tools },
  {
    name: 'tool history',
    body: {
      messages: [ASKED, CALLED, { role: 'tool', tool_call_id: 'call_probe_1', content: '12 degrees' }],
      tools: TOOLS,
      max_tokens: MAX_TOKENS,
    },
    isFor: takes('tools'),
    differs: plain,
  },
  {
    name: 'schema',
    body: {
      messages: [{ role: 'user', content: 'Name a city.' }],
      response_format: { type: 'json_schema', json_schema: { name: 'city', strict: true, schema: CITY } },
      max_tokens: MAX_TOKENS,
    },
    isFor: takes('structured_outputs'),
    differs: ({ text }) => (isCity(text) ? undefined : 'the answer does not match the schema'),
  },
  {
    name: 'image',
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Which colour is this?' },
            { type: 'image_url', image_url: { url: PIXEL } },
          ],
        },
      ],
      max_tokens: MAX_TOKENS,
    },
    isFor: ({ architecture }) => architecture.inputModalities.includes('image'),
    differs: plain,
  },
  {
    name: 'reasoning',
    body: { messages: HELLO, reasoning_effort: 'low', max_tokens: 2000 },
    isFor: ({ reasoning }) => reasoning !== null,
    differs: (answer) =>
      plain(answer) ?? (answer.isReasoned ? undefined : 'neither reasoning nor its tokens were reported'),
  },
  {
    name: 'cancelled',
    body: { messages: [{ role: 'user', content: 'Count to two hundred.' }], max_tokens: MAX_TOKENS },
    isStreamed: true,
    isCancelled: true,
  },
  {
    name: 'a model that does not exist',
    body: { messages: HELLO, max_tokens: MAX_TOKENS },
    model: 'byway-probe-no-such-model',
    isRefused: true,
  },
];

function takes(parameter: string): NonNullable<ProbeCall['isFor']> {
  return (_, { supportedParameters }) => supportedParameters.includes(parameter);
}

function plain({ text, finishReason, hasUsage }: ProbeAnswer): string | undefined {
  if (text === '') return 'no text came';
  if (finishReason !== 'stop' && finishReason !== 'length') return `ended as ${finishReason}`;
  return hasUsage ? undefined : 'no usage was reported';
}

function tools({ toolCalls: [call], finishReason }: ProbeAnswer): string | undefined {
  if (call === undefined) return 'no tool was called';
  if (call.name !== 'weather' || !isCity(call.arguments)) return 'the call does not match its schema';
  return finishReason === 'tool_calls' ? undefined : `ended as ${finishReason}, not as tool_calls`;
}

function isCity(text: string): boolean {
  try {
    return typeof JSON.parse(text).city === 'string';
  } catch {
    return false;
  }
}
