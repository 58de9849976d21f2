/** OpenAI, models that reason and that do not; the words are those of the reports. */
import { answerForms, jsonInWords, schemaNamed } from '../answers.js';
import { calledNames, callIds, callsNotEmpty } from '../calls.js';
import { contentThere, imageTypes, participantNames, partKinds } from '../contents.js';
import { closed, exclusive, longest, needs, stopCount, within } from '../members.js';
import { openAiRefusal } from '../refusals.js';
import { answered, type Rule, reported, type StrictHost, shownBy, typed } from '../rule.js';
import { descriptionLength, toolCount, toolNames, toolsNotEmpty } from '../tools.js';
import { callsAnswered, resultsCalled, rolesKnown } from '../turns.js';
import { REASONING_RULES } from './openai-reasoning.js';
import { SCHEMA_RULES } from './openai-schemas.js';

const TYPES = 'npm openai 6.49.0';
const NAME = '^[a-zA-Z0-9_-]+$';
const pattern = (path: string) =>
  `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '${NAME}'.`;

/** Members of requests: `ChatCompletionCreateParamsBase`. */
const REQUEST = `messages model audio frequency_penalty function_call functions logit_bias logprobs
  max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls prediction presence_penalty
  prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed
  service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity
  web_search_options`;

/** Of members within messages the refusal is quoted in public code: `'messages[0].content[0].cache_control'`, `.tool_calls[0].index`. */
const WITHIN = reported("public code that quotes Unknown parameter: 'messages[0].content[0].cache_control'.");

const unknown = (path: string) => `Unknown parameter: '${path}'.`;

function members(): readonly Rule[] {
  const argument = reported('https://github.com/coroot/coroot/issues/698');
  const places = [
    ['user', 'role content name'],
    ['system', 'role content name'],
    ['assistant', 'role content name refusal audio tool_calls function_call'],
    ['result', 'role content tool_call_id name'],
    ['part', 'type text image_url input_audio file refusal prompt_cache_breakpoint'],
    ['call', 'id type function custom'],
    ['tool', 'type function custom'],
    ['function', 'name description parameters strict'],
  ] as const;
  return [
    closed(argument, {
      place: 'request',
      names: REQUEST,
      words: (name) => `Unrecognized request argument supplied: ${name}`,
    }),
    ...places.map(([place, names]) =>
      answered(closed(WITHIN, { place, names, words: unknown }), { code: 'unknown_parameter' }),
    ),
  ];
}

/** What OpenAI's chats refuse, wherever its models are. */
export const OPENAI_RULES: readonly Rule[] = [
  ...members(),
  answered(
    longest(
      reported('https://github.com/theopenco/llmgateway/pull/3110'),
      'prompt_cache_key',
      64,
      (length) =>
        `Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length ${length} instead.`,
    ),
    { code: 'string_above_max_length' },
  ),
  rolesKnown(
    typed(`${TYPES} ChatCompletionMessageParam`),
    ['system', 'user', 'assistant', 'function', 'tool', 'developer'],
    (index, role) =>
      `Invalid value: '${role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer' ('messages[${index}].role').`,
  ),
  answered(
    callIds(
      reported('https://github.com/vercel/ai/issues/5171'),
      /^.{1,40}$/su,
      (path, id) =>
        `Invalid '${path}': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`,
    ),
    { code: 'string_above_max_length' },
  ),
  answered(
    callsNotEmpty(
      reported('https://github.com/openai/openai-node/pull/1341'),
      (index) =>
        `Invalid 'messages[${index}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    ),
    { code: 'empty_array' },
  ),
  answered(
    calledNames(reported('https://github.com/mcp-use/mcp-use/issues/90'), /^[a-zA-Z0-9_-]{1,64}$/, pattern),
    { code: 'invalid_value' },
  ),
  callsAnswered(
    reported('https://github.com/microsoft/promptflow/pull/3130'),
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ",
  ),
  resultsCalled(
    reported('https://github.com/miurla/morphic/issues/136'),
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  ),
  answered(
    participantNames(
      reported('https://github.com/jekalmin/extended_openai_conversation/issues/251'),
      /^[a-zA-Z0-9_-]+$/,
      pattern,
    ),
    { code: 'invalid_value' },
  ),
  contentThere(
    typed(`${TYPES} ChatCompletionUserMessageParam, ChatCompletionToolMessageParam`),
    ['user', 'system', 'developer', 'tool'],
    (index) => `Invalid value for 'content': expected a string, got null ('messages[${index}].content').`,
  ),
  partKinds(
    reported('https://github.com/OpenHands/OpenHands/issues/7700'),
    {
      user: ['text', 'image_url', 'input_audio', 'file'],
      system: ['text'],
      developer: ['text'],
      assistant: ['text', 'refusal'],
      tool: ['text'],
    },
    (path, type, role) =>
      type === 'image_url'
        ? `Invalid '${path.replace(/\.content.*/, '')}'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`
        : `Invalid value: '${type}' ('${path}.type').`,
  ),
  imageTypes(
    reported('https://github.com/marketing-factory/ai-filemetadata/issues/20'),
    ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    () =>
      "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
  ),
  answered(
    toolsNotEmpty(
      reported('https://github.com/vllm-project/vllm/pull/39780'),
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    ),
    { code: 'empty_array' },
  ),
  answered(
    toolCount(
      reported('https://github.com/vishalmysore/Tools4AI/issues/16'),
      128,
      (count) =>
        `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${count} instead.`,
    ),
    { code: 'array_above_max_length' },
  ),
  answered(
    descriptionLength(
      reported('https://github.com/getsentry/sentry-mcp/issues/106'),
      1024,
      (path, length) =>
        `Invalid '${path}': string too long. Expected a string with maximum length 1024, but got a string with length ${length} instead.`,
    ),
    { code: 'string_above_max_length' },
  ),
  answered(
    toolNames(reported('https://github.com/vercel/ai/issues/1972'), /^[a-zA-Z0-9_-]{1,64}$/, pattern),
    {
      code: 'invalid_value',
    },
  ),
  needs(
    reported('https://github.com/writer/writer-framework/pull/1013'),
    { tool_choice: 'auto' },
    { tools: [{ type: 'function', function: { name: 'lookup' } }] },
    "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
  ),
  needs(
    reported('https://github.com/openai/swarm/issues/30'),
    { parallel_tool_calls: true },
    { tools: [{ type: 'function', function: { name: 'lookup' } }] },
    "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
  ),
  needs(
    reported('https://github.com/BerriAI/litellm/issues/5803'),
    { stream_options: { include_usage: true } },
    { stream: true },
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  ),
  needs(
    typed(`${TYPES} ChatCompletionCreateParamsBase.top_logprobs`),
    { top_logprobs: 2 },
    { logprobs: true },
    "'top_logprobs' is only allowed when 'logprobs' is enabled.",
  ),
  needs(
    reported("public code that quotes The 'metadata' parameter is only allowed when 'store' is enabled."),
    { metadata: { run: '1' } },
    { store: true },
    "The 'metadata' parameter is only allowed when 'store' is enabled.",
  ),
  exclusive(
    reported(
      "public code that quotes Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    ),
    { max_tokens: 10 },
    { max_completion_tokens: 10 },
    "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
  ),
  stopCount(typed(`${TYPES} ChatCompletionCreateParamsBase.stop`), 4, "Invalid 'stop': array too long."),
  shownBy(
    within(typed(`${TYPES} ChatCompletionCreateParamsBase.top_logprobs`), 'top_logprobs', {
      least: 0,
      most: 20,
    }),
    { refused: { logprobs: true, top_logprobs: 21 }, taken: { logprobs: true, top_logprobs: 20 } },
  ),
  within(typed(`${TYPES} ChatCompletionCreateParamsBase.presence_penalty`), 'presence_penalty', {
    least: -2,
    most: 2,
  }),
  within(typed(`${TYPES} ChatCompletionCreateParamsBase.frequency_penalty`), 'frequency_penalty', {
    least: -2,
    most: 2,
  }),
  answerForms(
    typed(`${TYPES} ChatCompletionCreateParamsBase.response_format`),
    ['text', 'json_object', 'json_schema'],
    (type) => `Invalid value: '${type}'. Supported values are: 'json_object', 'json_schema', and 'text'.`,
  ),
  schemaNamed(
    typed(`${TYPES} ResponseFormatJSONSchema.JSONSchema.name`),
    /^[a-zA-Z0-9_-]{1,64}$/,
    "Missing required parameter: 'response_format.json_schema.name'.",
  ),
  jsonInWords(
    reported("public code that quotes 'messages' must contain the word 'json' in some form"),
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
  ),
  ...SCHEMA_RULES,
  ...REASONING_RULES,
];

export const openAi: StrictHost = {
  name: 'openai',
  format: 'chat',
  model: 'gpt-4o',
  rules: OPENAI_RULES,
  refuse: openAiRefusal,
};

export const openAiReasoning: StrictHost = { ...openAi, model: 'gpt-5.1' };
