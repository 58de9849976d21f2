/**
 * Mistral. Its package mistral-common has the validators that stand before its tokenizers
 * (`protocol/instruct/validator.py`); where the service is stricter, reports say so.
 */
import { calledNames, callIds, callIdsDiffer } from '../calls.js';
import { contentFilled, partKinds } from '../contents.js';
import { CALLING, called, RESULT, USER } from '../examples.js';
import { closed } from '../members.js';
import { answered, type Rule, reported, type StrictHost, shownBy, typed } from '../rule.js';
import { choices, parametersThere, toolNames } from '../tools.js';
import {
  aloneMessage,
  callsAnswered,
  lastMessage,
  orderOfRoles,
  prefixIsLast,
  resultsCalled,
  rolesKnown,
} from '../turns.js';

const SDK = 'npm @mistralai/mistralai 2.7.0';
const COMMON = 'PyPI mistral-common 1.13.1 MistralRequestValidator';

const REQUEST = `model temperature top_p max_tokens stream stop random_seed metadata messages response_format tools tool_choice
  presence_penalty frequency_penalty n prediction parallel_tool_calls reasoning_effort prompt_mode guardrails
  prompt_cache_key service_tier safe_prompt`;

const HI = { role: 'assistant', content: 'Hi' };
const extra = (path: string) => path;
const name = (_: string, said: string) =>
  `Function name was ${said} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`;

function members(): readonly Rule[] {
  const inMessages = reported('https://github.com/charmbracelet/crush/issues/1590');
  const rules = [
    closed(reported('https://github.com/partITech/php-mistral/issues/76'), {
      place: 'request',
      names: REQUEST,
      words: extra,
    }),
    closed(reported('https://github.com/Gage-Technologies/mistral-go/issues/3'), {
      place: 'user',
      names: 'role content',
      words: extra,
    }),
    closed(inMessages, { place: 'assistant', names: 'role content tool_calls prefix', words: extra }),
    closed(typed(`${SDK} SystemMessage`), { place: 'system', names: 'role content', words: extra }),
    closed(typed(`${SDK} ToolMessage`), {
      place: 'result',
      names: 'role content tool_call_id name',
      words: extra,
    }),
    closed(typed(`${SDK} ToolCall`), { place: 'call', names: 'id type function index', words: extra }),
    closed(typed(`${SDK} FunctionCall`), { place: 'called function', names: 'name arguments', words: extra }),
    closed(typed(`${SDK} Tool`), { place: 'tool', names: 'type function', words: extra }),
    closed(typed(`${SDK} FunctionT`), {
      place: 'function',
      names: 'name description strict parameters',
      words: extra,
    }),
    closed(typed(`${SDK} ContentChunk`), {
      place: 'part',
      names:
        'type text image_url document_url document_name input_audio reference_ids file_id thinking closed',
      words: extra,
    }),
    parametersThere(typed(`${SDK} FunctionT.parameters`), extra),
  ];
  return rules.map((rule) => answered(rule, { status: 422, code: 'extra_forbidden' }));
}

export const mistral: StrictHost = {
  name: 'mistral',
  format: 'chat',
  model: 'mistral-large-latest',
  rules: [
    ...members(),
    rolesKnown(typed(`${SDK} ChatCompletionRequestMessage`), ['system', 'user', 'assistant', 'tool']),
    orderOfRoles(reported('https://github.com/zed-industries/zed/issues/37021'), ['tool user']),
    shownBy(
      orderOfRoles(typed(`${COMMON}._validate_message_order`), [
        'system tool',
        'user tool',
        'assistant system',
        'tool system',
      ]),
      {
        refused: { messages: [USER, HI, { role: 'system', content: 'Be kind.' }, USER] },
        taken: { messages: [USER, HI, USER] },
      },
    ),
    lastMessage(
      reported('https://github.com/0xPlaygrounds/rig/pull/1130'),
      ['user', 'tool', 'system'],
      'Expected last role User or Tool (or Assistant with prefix True) for serving but got ROLE',
      'prefix',
    ),
    aloneMessage(
      typed(`${COMMON}._validate_message_list_structure`),
      ['user', 'system'],
      'prefix',
      'Conversation must start with a user message or system message',
    ),
    prefixIsLast(
      typed(`${COMMON}._validate_assistant_message`),
      'prefix',
      'Assistant message with prefix True must be last message',
    ),
    callIds(
      typed(`${COMMON}V3._validate_tool_call_id, _validate_tool_message_id`),
      /^[a-zA-Z0-9]{9}$/,
      (_, id) => `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
      'call_12345678',
    ),
    callIdsDiffer(
      typed(`${COMMON}V11._validate_tool_calls_followed_by_tool_messages`),
      (id) => `Duplicate tool call id ${id} in assistant message`,
    ),
    callsAnswered(
      typed(`${COMMON}._validate_tool_calls_followed_by_tool_messages`),
      'Not the same number of function calls and responses',
    ),
    shownBy(
      resultsCalled(
        typed(`${COMMON}V11._validate_tool_calls_followed_by_tool_messages`),
        'Unexpected tool call id in tool results',
      ),
      { refused: called(CALLING, RESULT, RESULT), taken: called() },
    ),
    calledNames(typed(`${COMMON}._validate_function_call`), /^[a-zA-Z0-9_-]{1,64}$/, name),
    toolNames(typed(`${COMMON}._validate_function`), /^[a-zA-Z0-9_-]{1,64}$/, name),
    contentFilled(
      reported('https://github.com/OpenHands/OpenHands/issues/8685'),
      ['assistant'],
      () => 'Assistant message must have either content or tool_calls, but not none.',
    ),
    partKinds(
      typed(`${COMMON}V11, V13, ${SDK} ContentChunk`),
      {
        user: ['text', 'image_url', 'document_url', 'input_audio', 'file', 'reference'],
        system: ['text', 'thinking'],
        assistant: ['text', 'thinking'],
        tool: ['text'],
      },
      (_, type, role) => `Unexpected content chunk types in ${role} message: ['${type}']`,
    ),
    choices(
      typed(`${SDK} ChatCompletionRequestToolChoice`),
      ['auto', 'none', 'any', 'required'],
      true,
      () => 'tool_choice',
    ),
  ],
  refuse: (words, { status = 400, code }) => {
    if (code !== 'extra_forbidden') {
      const type = words.startsWith('Unexpected role')
        ? 'invalid_request_message_order'
        : 'invalid_request_error';
      return { status, body: { object: 'error', message: words, type, param: null, code: '3230' } };
    }
    const loc = ['body', ...words.split(/[.[\]]+/).filter(Boolean)];
    const detail = [{ type: code, loc, msg: 'Extra inputs are not permitted' }];
    return { status, body: { object: 'error', detail, type: 'invalid_request_error', code: 3001 } };
  },
};
