/** Cerebras, whose service is a validator of its types in words of pydantic's kind. */
import { schemaNamed } from '../answers.js';
import { partKinds, wholeCharacters } from '../contents.js';
import { closed, stopCount, within } from '../members.js';
import { answered, type Rule, reported, type StrictHost, typed } from '../rule.js';
import { closedObjects, withoutWords } from '../schemas.js';
import { efforts } from '../thoughts.js';
import { alikeStrict, choices } from '../tools.js';
import { rolesKnown } from '../turns.js';

const TYPES = 'npm @cerebras/cerebras_cloud_sdk 1.91.0';

const REQUEST = `messages model clear_thinking disable_reasoning frequency_penalty logit_bias logprobs max_completion_tokens
  max_tokens min_completion_tokens min_tokens model_parameters n parallel_tool_calls prediction presence_penalty
  prompt_cache_key reasoning_effort reasoning_format response_format seed service_tier stop stream stream_options
  temperature tool_choice tools top_logprobs top_p user`;

const unsupported = (path: string) => {
  const at = path.replace(/\[(\d+)\]/g, '.$1');
  return `${at}: property '${at}' is unsupported`;
};

function members(): readonly Rule[] {
  const messages = reported('https://github.com/Kilo-Org/kilocode/issues/10375');
  return [
    closed(typed(`${TYPES} ChatCompletionCreateParamsBase`), {
      place: 'request',
      names: REQUEST,
      words: unsupported,
    }),
    closed(messages, {
      place: 'assistant',
      names: 'role content name reasoning tool_calls',
      words: unsupported,
    }),
    closed(typed(`${TYPES} UserMessageRequest`), {
      place: 'user',
      names: 'role content name',
      words: unsupported,
    }),
    closed(typed(`${TYPES} SystemMessageRequest`), {
      place: 'system',
      names: 'role content name',
      words: unsupported,
    }),
    closed(typed(`${TYPES} ToolMessageRequest`), {
      place: 'result',
      names: 'role content name tool_call_id',
      words: unsupported,
    }),
    closed(typed(`${TYPES} TextContent, ImageURLContent, ImageContent`), {
      place: 'part',
      names: 'type text image_url image',
      words: unsupported,
    }),
    closed(typed(`${TYPES} AssistantMessageRequest.ToolCall`), {
      place: 'call',
      names: 'id type function index',
      words: unsupported,
    }),
    closed(typed(`${TYPES} Tool`), { place: 'tool', names: 'type function', words: unsupported }),
    closed(typed(`${TYPES} Tool.Function`), {
      place: 'function',
      names: 'name description parameters strict',
      words: unsupported,
    }),
  ];
}

export const cerebras: StrictHost = {
  name: 'cerebras',
  format: 'chat',
  model: 'gpt-oss-120b',
  rules: [
    wholeCharacters(
      reported('https://github.com/elizaOS/eliza/pull/18079'),
      ': Invalid JSON: lone leading surrogate in hex escape',
    ),
    ...members(),
    rolesKnown(typed(`${TYPES} ChatCompletionCreateParamsBase.messages`), [
      'system',
      'developer',
      'user',
      'assistant',
      'tool',
    ]),
    partKinds(
      typed(`${TYPES} SystemMessageRequest, UserMessageRequest, AssistantMessageRequest, ToolMessageRequest`),
      {
        user: ['text', 'image_url', 'image'],
        system: ['text', 'image_url', 'image'],
        developer: ['text', 'image_url', 'image'],
        assistant: ['text'],
        tool: ['text'],
      },
      (path, type) => `${path}.type: Input should be 'text', got '${type}'`,
    ),
    schemaNamed(
      reported('https://github.com/Cerebras/cerebras-cloud-sdk-python/issues/4'),
      /^.+$/s,
      "type: Input should be 'text'",
    ),
    answered(
      closedObjects(
        reported('https://github.com/agno-agi/agno/issues/6013'),
        { of: ['answer'] },
        () => "'additionalProperties' is required to be supplied and set to false.",
      ),
      { status: 422 },
    ),
    answered(
      closedObjects(
        reported('https://github.com/theopenco/llmgateway/pull/1455'),
        { of: ['function'], strict: true },
        () => "'additionalProperties' is required to be supplied and set to false.",
      ),
      { status: 422 },
    ),
    withoutWords(
      reported('https://github.com/musistudio/claude-code-router/issues/708'),
      { of: ['function', 'answer'], strict: true },
      { minItems: 1, maxItems: 2, pattern: '^a', format: 'date' },
      (_, __, word) => `Unsupported JSON schema fields: {'${word}'}`,
    ),
    alikeStrict(
      reported('https://github.com/mpfaffenberger/code_puppy/pull/368'),
      "Tools with mixed values for 'strict' are not allowed. Please set all tools to 'strict: true' or 'strict: false'",
    ),
    choices(
      typed(`${TYPES} ChatCompletionCreateParamsBase.tool_choice`),
      ['none', 'auto', 'required'],
      true,
      () => 'tool_choice: Input should be a valid choice',
    ),
    efforts(
      typed(`${TYPES} ChatCompletionCreateParamsBase.reasoning_effort`),
      ['none', 'low', 'medium', 'high'],
      () => "reasoning_effort: Input should be 'none', 'low', 'medium' or 'high'",
    ),
    stopCount(typed(`${TYPES} ChatCompletionCreateParamsBase.stop`), 4, 'stop: at most 4'),
    within(typed(`${TYPES} ChatCompletionCreateParamsBase.top_logprobs`), 'top_logprobs', {
      least: 0,
      most: 20,
    }),
    within(typed(`${TYPES} ChatCompletionCreateParamsBase.temperature`), 'temperature', {
      least: 0,
      most: 2,
    }),
  ],
  refuse: (words, { status = 400 }) => ({
    status,
    body: {
      message: words,
      type: 'invalid_request_error',
      param: 'validation_error',
      code: 'wrong_api_format',
    },
  }),
};
