/** DeepSeek, thinking (by default, since V4) and not. It ignores members that it does not know. */
import { jsonInWords, noJson } from '../answers.js';
import { resultsNamed } from '../calls.js';
import { type Body, objectIn } from '../chat.js';
import { contentFilled, contentThere, partKinds, textOnly, wholeCharacters } from '../contents.js';
import { refused } from '../members.js';
import { plainRefusal } from '../refusals.js';
import { answered, documented, onModels, reported, type StrictHost, whileThinking } from '../rule.js';
import { thoughtsAfterCalls, thoughtsOfCalls } from '../thoughts.js';
import { notForced, parametersThere, toolsNotEmpty } from '../tools.js';
import { callsAnswered, lastMessage, resultsCalled, rolesKnown } from '../turns.js';

const THINKING = { thinking: { type: 'enabled' } };
const BACK = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
const deserialize = (words: string) => `Failed to deserialize the JSON body into the target type: ${words}`;

function unknownVariant(path: string, type: string): string {
  return deserialize(`${path.replace(/\.content.*/, '')}: unknown variant \`${type}\`, expected \`text\``);
}

export const deepSeek: StrictHost = {
  name: 'deepseek',
  format: 'chat',
  model: 'deepseek-chat',
  plain: { thinking: { type: 'disabled' } },
  thinks: (body: Body, model) => {
    const type = objectIn(body.thinking)?.type;
    return type === undefined ? /v4|flash|pro|reasoner/.test(model) : type !== 'disabled';
  },
  rules: [
    wholeCharacters(
      reported('https://github.com/JohnnyZ93/oai-compatible-copilot/pull/271'),
      'Failed to parse the request body as JSON: messages[0].content: lone leading surrogate in hex escape',
    ),
    rolesKnown(
      reported('https://github.com/earendil-works/pi/issues/1048'),
      ['system', 'user', 'assistant', 'tool'],
      (index, role) =>
        `messages[${index}].role: unknown variant \`${role}\`, expected one of \`system\`, \`user\`, \`assistant\`, \`tool\``,
    ),
    onModels(
      /^(?!.*flash)/,
      'deepseek-v4-pro',
      partKinds(
        reported('https://github.com/rikkahub/rikkahub/issues/1433'),
        { system: ['text'], tool: ['text'], assistant: ['text'], user: ['text'] },
        unknownVariant,
      ),
    ),
    onModels(
      /flash/,
      'deepseek-flash',
      partKinds(
        documented('https://api-docs.deepseek.com/guides/vision'),
        { system: ['text'], tool: ['text'], assistant: ['text'], user: ['text', 'image_url', 'file'] },
        unknownVariant,
      ),
    ),
    textOnly(reported('https://github.com/BerriAI/litellm/issues/6642'), ['tool'], (index) =>
      deserialize(`messages[${index}]: invalid type: sequence, expected a string`),
    ),
    contentThere(reported('https://github.com/HKUDS/nanobot/pull/3869'), ['tool', 'user'], (index) =>
      deserialize(`messages[${index}]: content must be a string`),
    ),
    contentFilled(
      reported('https://github.com/carlrobertoh/ProxyAI/issues/834'),
      ['assistant'],
      () => 'Invalid assistant message: content or tool_calls must be set',
    ),
    resultsNamed(reported('https://github.com/EKKOLearnAI/hermes-studio/issues/323'), (index) =>
      deserialize(`messages[${index}]: missing field \`tool_call_id\``),
    ),
    parametersThere(
      reported('https://github.com/farion1231/cc-switch/issues/5490'),
      () =>
        "Invalid schema for function 'lookup': schema must be a JSON Schema of 'type: \"object\"', got 'type: null'.",
    ),
    callsAnswered(
      reported('https://github.com/openai/codex/issues/22129'),
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
    ),
    resultsCalled(
      reported('https://github.com/qwersyk/Newelle/issues/425'),
      "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    ),
    toolsNotEmpty(reported('https://github.com/runebookai/tome/pull/87'), "Invalid 'tools': empty array."),
    noJson(
      reported('https://github.com/llm-exe/llm-exe/issues/662'),
      ['json_schema'],
      'This response_format type is unavailable now',
    ),
    jsonInWords(
      reported('https://github.com/browserbase/stagehand/issues/1204'),
      "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.",
    ),
    whileThinking(
      THINKING,
      notForced(
        reported('https://github.com/BerriAI/litellm/pull/37470'),
        'any',
        () => 'Thinking mode does not support this tool_choice',
      ),
    ),
    whileThinking(
      THINKING,
      thoughtsOfCalls(
        documented('https://api-docs.deepseek.com/guides/thinking_mode'),
        'reasoning_content',
        () => BACK,
      ),
    ),
    whileThinking(
      THINKING,
      thoughtsAfterCalls(
        documented('https://api-docs.deepseek.com/guides/thinking_mode'),
        'reasoning_content',
        () => BACK,
      ),
    ),
    onModels(
      /reasoner/,
      'deepseek-reasoner',
      refused(
        documented('https://api-docs.deepseek.com/zh-cn/guides/reasoning_model'),
        { logprobs: true, top_logprobs: 2 },
        (name) => `deepseek-reasoner does not support the parameter \`${name}\``,
        (value) => value === false,
      ),
    ),
    onModels(
      /reasoner/,
      'deepseek-reasoner',
      lastMessage(
        reported('https://github.com/olimorris/codecompanion.nvim/issues/760'),
        ['user', 'tool'],
        'The last message of deepseek-reasoner must be a user message, or an assistant message with prefix mode on (refer to https://api-docs.deepseek.com/guides/chat_prefix_completion).',
        'prefix',
      ),
    ),
  ].map((rule) => answered(rule, { code: 'invalid_request_error' })),
  refuse: plainRefusal,
};

export const deepSeekThinking: StrictHost = { ...deepSeek, model: 'deepseek-v4-pro' };

/** Sees images since September 2026. */
export const deepSeekSeeing: StrictHost = { ...deepSeek, model: 'deepseek-flash' };
