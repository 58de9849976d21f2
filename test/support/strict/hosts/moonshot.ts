/** Moonshot's Kimi, which thinks by default, and whose schemas are its own flavour of JSON Schema. */

import { type Body, objectIn } from '../chat.js';
import { contentFilled } from '../contents.js';
import { exclusive, fixed, refused, stopCount } from '../members.js';
import { plainRefusal } from '../refusals.js';
import {
  documented,
  onModels,
  type Rule,
  reported,
  type StrictHost,
  shownBy,
  whileThinking,
} from '../rule.js';
import {
  FUNCTIONS,
  noBooleans,
  noTypeBesideAnyOf,
  nothingBesideReferences,
  references,
  rootObject,
  typesSaid,
} from '../schemas.js';
import { efforts, thinkingTypes, thoughtsOfCalls } from '../thoughts.js';
import { notForced, toolCount, toolNames } from '../tools.js';
import { callsAnswered, resultsCalled, rolesKnown } from '../turns.js';

/** What is known of Kimi's own OpenAPI document. */
const API =
  'https://raw.githubusercontent.com/api-evangelist/kimi-moonshot/refs/heads/main/openapi/kimi-moonshot-chat-api-openapi.yml';
const WALLE = 'https://github.com/MoonshotAI/walle (its MFJS specification)';

const THINKING = { thinking: { type: 'enabled' } };
/** Kimi since K2.5, whose sampling is fixed. */
const FIXED = /k2\.[5-9]|k[3-9]/;

function schemas(): readonly Rule[] {
  const invalid = (path: string, words: string) =>
    `tools.function.parameters is not a valid moonshot flavored json schema, details: <At path '${path || 'root'}': ${words}>`;
  return [
    rootObject(
      reported('https://github.com/14790897/MiqroForge-Desktop/issues/1165'),
      FUNCTIONS,
      () => 'tools.function.parameters.type is required and must be "object"',
    ),
    noTypeBesideAnyOf(reported('https://github.com/MoonshotAI/kimi-cli/issues/2531'), FUNCTIONS, (_, path) =>
      invalid(path, 'when using anyOf, type should be defined in anyOf items instead of the parent schema'),
    ),
    noBooleans(reported('https://github.com/can1357/oh-my-pi/issues/5952'), FUNCTIONS, (_, path) =>
      invalid(path, `property schema for '${path.split('.').at(-1)}' must be an object`),
    ),
    typesSaid(reported('https://github.com/earendil-works/pi/issues/4138'), FUNCTIONS, (_, path) =>
      invalid(path, 'type is not defined'),
    ),
    references(reported('https://github.com/CommandCodeAI/command-code/issues/594'), FUNCTIONS, (_, path) =>
      invalid(`${path}.$ref`, 'references must start with #/$defs/'),
    ),
    nothingBesideReferences(
      reported('https://github.com/MoonshotAI/kimi-cli/issues/2061'),
      FUNCTIONS,
      (_, path, word) => invalid(path, `conflicting keywords found after $ref expansion: ${word}`),
    ),
    typesSaid(documented(WALLE), { of: ['answer'], strict: true }, (_, path) =>
      invalid(path, 'type is not defined'),
    ),
    noBooleans(documented(WALLE), { of: ['answer'], strict: true }, (_, path) =>
      invalid(path, 'must be an object'),
    ),
  ];
}

function sampling(): readonly Rule[] {
  const only = (name: string) => (value: number) =>
    `invalid ${name}: only ${value} is allowed for this model`;
  const evidence = documented(
    `${API} KimiK25ChatRequest, KimiK26ChatRequest; https://java.agentscope.io/v2/en/integration/model/kimi`,
  );
  const rules = [
    fixed(
      reported('https://github.com/HKUDS/nanobot/pull/4967'),
      'temperature',
      ({ thinks }) => (thinks ? 1 : 0.6),
      only('temperature'),
    ),
    fixed(evidence, 'top_p', () => 0.95, only('top_p')),
    fixed(evidence, 'n', () => 1, only('n')),
    fixed(evidence, 'presence_penalty', () => 0, only('presence_penalty')),
    fixed(evidence, 'frequency_penalty', () => 0, only('frequency_penalty')),
  ];
  return rules.map((rule) => onModels(FIXED, 'kimi-k2.6', rule));
}

function thinking(): readonly Rule[] {
  const incompatible = (choice: string) => `tool_choice '${choice}' is incompatible with thinking enabled`;
  const forced = reported('https://github.com/UKGovernmentBEIS/inspect_ai/pull/5152');
  return [
    whileThinking(THINKING, onModels(/k2/, 'kimi-k2.6', notForced(forced, 'any', incompatible))),
    whileThinking({}, onModels(/k3/, 'kimi-k3', withoutPlain(notForced(forced, 'certain', incompatible)))),
    whileThinking(
      THINKING,
      onModels(
        /k2/,
        'kimi-k2.6',
        thoughtsOfCalls(
          reported('https://github.com/mastra-ai/mastra/issues/12592'),
          'reasoning_content',
          (index) =>
            `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
        ),
      ),
    ),
    exclusive(
      reported('https://github.com/HKUDS/nanobot/issues/3939'),
      THINKING,
      { reasoning_effort: 'high' },
      "cannot specify both 'thinking' and 'reasoning_effort'",
    ),
    thinkingTypes(
      documented(`${API} KimiK26ChatRequest.thinking; https://github.com/LionSR/TeXRA/pull/1905`),
      ['enabled', 'disabled'],
      () => 'the thinking field in the request (expected type object) is illegal',
    ),
    onModels(
      /k2\.7-code/,
      'kimi-k2.7-code',
      shownBy(
        thinkingTypes(
          reported('https://github.com/mnfst/modelparams.dev/pull/168'),
          ['enabled'],
          () => 'thinking cannot be disabled for this model',
        ),
        { refused: { thinking: { type: 'disabled' } }, taken: THINKING },
      ),
    ),
    onModels(
      /k3/,
      'kimi-k3',
      withoutPlain(
        refused(
          reported('https://github.com/mnfst/modelparams.dev/pull/168'),
          THINKING,
          () => 'thinking is not supported by this model',
        ),
      ),
    ),
    onModels(
      /k3/,
      'kimi-k3',
      withoutPlain(
        efforts(
          reported('https://github.com/mnfst/modelparams.dev/pull/168'),
          ['low', 'high', 'max'],
          (effort) => `invalid reasoning_effort: ${effort}`,
        ),
      ),
    ),
  ];
}

/** Shown without the switch that K3 does not have. */
function withoutPlain(rule: Rule): Rule {
  const { refused: bad, taken } = rule.example;
  return {
    ...rule,
    example: { refused: { thinking: undefined, ...bad }, taken: { thinking: undefined, ...taken } },
  };
}

export const moonshot: StrictHost = {
  name: 'moonshotai',
  format: 'chat',
  model: 'kimi-k2.6',
  plain: { thinking: { type: 'disabled' } },
  thinks: (body: Body, model) =>
    /k2\.[5-9]|k3|thinking/.test(model) && objectIn(body.thinking)?.type !== 'disabled',
  rules: [
    rolesKnown(
      documented(`${API} Message.role, and tool`),
      ['system', 'user', 'assistant', 'tool'],
      (_, role) => `Invalid request: unknown role '${role}'`,
    ),
    contentFilled(
      reported('https://github.com/AstrBotDevs/AstrBot/issues/7200'),
      ['assistant', 'system', 'user'],
      (index, role) =>
        `Invalid request: the message at position ${index} with role '${role}' must not be empty`,
    ),
    callsAnswered(
      reported("public code that quotes what Kimi's API says of tool_calls without results right after them"),
      "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'",
    ),
    resultsCalled(
      reported('public code that quotes Invalid request: tool_call_id  is not found'),
      'Invalid request: tool_call_id  is not found',
    ),
    toolNames(
      documented(`${API} ToolDefinition.function.name; https://github.com/MoonshotAI/kimi-cli/issues/1773`),
      /^[a-zA-Z_][a-zA-Z0-9_-]{2,63}$/,
      () =>
        'function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes',
      '21st_magic',
    ),
    toolCount(documented(`${API} ChatRequestBase.tools`), 128, () => 'tools: at most 128'),
    stopCount(documented(`${API} ChatRequestBase.stop`), 5, 'stop: at most 5'),
    ...schemas(),
    ...sampling(),
    ...thinking(),
  ],
  refuse: plainRefusal,
};
