/** Groq, which names what it does not know: `property 'x' is unsupported`. */
import { calledNames } from '../calls.js';
import { partKinds } from '../contents.js';
import { CALLING, called } from '../examples.js';
import { closed, refused, stopCount } from '../members.js';
import { plainRefusal } from '../refusals.js';
import {
  assumed,
  documented,
  onModels,
  type Rule,
  reported,
  type StrictHost,
  shownBy,
  typed,
} from '../rule.js';
import { efforts } from '../thoughts.js';
import { choices, toolCount, toolNames, toolsOrJson } from '../tools.js';
import { rolesKnown } from '../turns.js';

const TYPES = 'npm groq-sdk 1.6.0';

/** `ChatCompletionCreateParamsBase`, and `stream_options`, which the types lack and OpenAI's clients send. */
const REQUEST = `messages model citation_options compound_custom disable_tool_validation documents exclude_domains
  frequency_penalty function_call functions include_domains include_reasoning logit_bias logprobs max_completion_tokens
  max_tokens metadata n parallel_tool_calls presence_penalty reasoning_effort reasoning_format response_format
  search_settings seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user`;

const unsupported = (name: string) => `property '${name}' is unsupported`;

function within(path: string, name: string): string {
  const [, index = '0'] = /messages\[(\d+)\]/.exec(path) ?? [];
  const message = `messages.${index}`;
  return `'${message}' : for the message the following must be satisfied[('${message}' : ${unsupported(name)})]`;
}

function members(): readonly Rule[] {
  const messages = reported('https://github.com/tashfeenahmed/freellmapi/issues/1070');
  return [
    closed(reported('https://github.com/CherryHQ/cherry-studio/issues/11435'), {
      place: 'request',
      names: REQUEST,
      words: unsupported,
    }),
    closed(messages, {
      place: 'assistant',
      names: 'role content function_call reasoning tool_calls',
      words: within,
    }),
    closed(documented('https://console.groq.com/docs/openai'), {
      place: 'user',
      names: 'role content',
      words: within,
    }),
    closed(documented('https://console.groq.com/docs/openai'), {
      place: 'system',
      names: 'role content',
      words: within,
    }),
    closed(typed(`${TYPES} ChatCompletionToolMessageParam`), {
      place: 'result',
      names: 'role content tool_call_id',
      words: within,
    }),
    closed(assumed(`${TYPES} ChatCompletionContentPart, and that messages are closed`), {
      place: 'part',
      names: 'type text image_url document',
      words: within,
    }),
  ];
}

function effortsOf(models: RegExp, model: string, allowed: readonly string[]): Rule {
  const list = allowed.map((one) => `\`${one}\``).join(' or ');
  return onModels(
    models,
    model,
    efforts(
      typed(`${TYPES} ChatCompletionCreateParamsBase.reasoning_effort`),
      allowed,
      () => `\`reasoning_effort\` must be one of ${list}`,
    ),
  );
}

export const groq: StrictHost = {
  name: 'groq',
  format: 'chat',
  model: 'llama-3.3-70b-versatile',
  rules: [
    ...members(),
    refused(
      documented('https://console.groq.com/docs/openai'),
      { logprobs: true, logit_bias: { 1: 1 }, top_logprobs: 2 },
      unsupported,
    ),
    refused(
      documented('https://console.groq.com/docs/openai'),
      { n: 2 },
      () => "'n' : number must be at most 1",
      (value) => value === 1,
    ),
    refused(
      typed(`${TYPES} ChatCompletionCreateParamsBase.metadata, store: "not currently supported"`),
      { store: true, metadata: { a: 'b' } },
      unsupported,
      (value) => value === false,
    ),
    rolesKnown(
      typed(`${TYPES} ChatCompletionMessageParam`),
      ['system', 'developer', 'user', 'assistant', 'tool', 'function'],
      (index) => `'messages.${index}' : discriminator property 'role' has invalid value`,
    ),
    onModels(
      /llama|kimi/,
      'moonshotai/kimi-k2-instruct',
      shownBy(
        {
          ...reported('https://github.com/vercel/ai/pull/8057'),
          refuses: 'reasoning of earlier messages.',
          example: { refused: {}, taken: {} },
          violation: ({ messages }) => {
            const index = Array.isArray(messages)
              ? messages.findIndex((one) => one?.reasoning !== undefined)
              : -1;
            return index === -1
              ? undefined
              : `messages[${index}].reasoning: reasoning is not supported with this model`;
          },
        },
        { refused: called({ ...CALLING, reasoning: 'Hm.' }), taken: called() },
      ),
    ),
    partKinds(
      typed(
        `${TYPES} ChatCompletionSystemMessageParam, ChatCompletionAssistantMessageParam, ChatCompletionContentPart`,
      ),
      {
        user: ['text', 'image_url', 'document'],
        tool: ['text', 'image_url', 'document'],
        system: ['text'],
        developer: ['text'],
        assistant: ['text'],
      },
      (path) => `'${path}' : value is not one of the allowed types`,
    ),
    toolCount(
      reported('https://github.com/HunorLaczko/ha-groq-cloud-api/issues/25'),
      128,
      () => "'tools' : maximum number of items is 128",
    ),
    toolNames(
      typed(`${TYPES} FunctionDefinition.name`),
      /^[a-zA-Z0-9_-]{1,64}$/,
      (path) => `'${path}' : must match the pattern`,
    ),
    calledNames(
      assumed(`${TYPES} FunctionDefinition.name, and that OpenAI holds called names to the same form`),
      /^[a-zA-Z0-9_-]{1,64}$/,
      (path) => `'${path}' : must match the pattern`,
    ),
    choices(
      typed(`${TYPES} ChatCompletionToolChoiceOption`),
      ['none', 'auto', 'required'],
      true,
      () => "'tool_choice' : one of the following must be satisfied",
    ),
    toolsOrJson(
      reported('https://github.com/vercel/ai/pull/16540'),
      ['json_object', 'json_schema'],
      'json mode cannot be combined with tool/function calling',
    ),
    stopCount(
      typed(`${TYPES} ChatCompletionCreateParamsBase.stop`),
      4,
      "'stop' : maximum number of items is 4",
    ),
    effortsOf(/gpt-oss/, 'openai/gpt-oss-120b', ['low', 'medium', 'high']),
    effortsOf(/qwen3-32b/, 'qwen/qwen3-32b', ['none', 'default']),
  ],
  refuse: plainRefusal,
};
