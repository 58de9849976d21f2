/** Alibaba's Model Studio, whose thinking is switched with `enable_thinking`. */
import { jsonInWords, noJson } from '../answers.js';
import { argumentsParse } from '../calls.js';
import type { Body } from '../chat.js';
import { within } from '../members.js';
import {
  answered,
  documented,
  onModels,
  type Rule,
  reported,
  type StrictHost,
  shownBy,
  whileThinking,
} from '../rule.js';
import { notForced, toolsNotEmpty } from '../tools.js';
import { callsAnswered, resultsCalled } from '../turns.js';

const ERRORS = 'https://www.alibabacloud.com/help/model-studio/error-code';
const invalid = (words: string) => `<400> InternalError.Algo.InvalidParameter: ${words}`;
const THINKING = { enable_thinking: true, stream: true };

/** Open models of Qwen3, which think by default and only in streams. */
const OPEN = /^qwen3-(?:\d|next)/;

function streamed(): Rule {
  const rule: Rule = {
    ...documented(ERRORS),
    refuses: 'Thinking of open models in one piece.',
    example: { refused: {}, taken: {} },
    violation: ({ stream }, { thinks }) =>
      thinks && stream !== true
        ? 'parameter.enable_thinking must be set to false for non-streaming calls'
        : undefined,
  };
  const example = { refused: { enable_thinking: true }, taken: { enable_thinking: true, stream: true } };
  return onModels(OPEN, 'qwen3-32b', shownBy(rule, example));
}

export const alibaba: StrictHost = {
  name: 'alibaba',
  format: 'chat',
  model: 'qwen-plus',
  thinks: ({ enable_thinking: isOn }: Body, model) =>
    isOn === undefined ? OPEN.test(model) || /qwq|thinking|qwen3\.[5-9]/.test(model) : isOn === true,
  rules: [
    streamed(),
    callsAnswered(
      reported('https://github.com/QwenLM/qwen-code/issues/606'),
      invalid(
        'An assistant message with "tool_calls" must be followed by tool messages responding to each "tool_call_id". The following tool_call_ids did not have response messages: message[0].role',
      ),
    ),
    resultsCalled(
      reported('https://github.com/langchain-ai/langgraph-supervisor-py/issues/122'),
      invalid('messages with role "tool" must be a response to a preceeding message with "tool_calls".'),
    ),
    argumentsParse(reported('https://github.com/HKUDS/nanobot/issues/1487'), () =>
      invalid('The "function.arguments" parameter of the code model must be in JSON format.'),
    ),
    jsonInWords(
      documented(ERRORS),
      invalid(
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      ),
    ),
    toolsNotEmpty(reported('https://github.com/QwenLM/qwen-code/issues/2054'), "[] is too short - 'tools'"),
    within(
      documented(ERRORS),
      'temperature',
      { least: 0, most: 1.99 },
      invalid('Temperature should be in [0.0, 2.0)'),
    ),
    within(
      documented(ERRORS),
      'top_p',
      { least: 0.001, most: 1 },
      invalid('Range of top_p should be (0.0, 1.0]'),
    ),
    whileThinking(
      THINKING,
      notForced(reported('https://github.com/cloudwego/eino/issues/994'), 'any', () =>
        invalid(
          'The tool_choice parameter does not support being set to required or object in thinking mode',
        ),
      ),
    ),
    whileThinking(
      THINKING,
      noJson(
        documented(ERRORS),
        ['json_object'],
        invalid('Json mode response is not supported when enable_thinking is true'),
      ),
    ),
  ].map((rule) => answered(rule, { code: 'invalid_parameter_error' })),
  refuse: (message, { status = 400, code }) => ({
    status,
    body: { error: { message, type: 'invalid_request_error', param: null, code } },
  }),
};
