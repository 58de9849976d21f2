/**
 * What OpenAI's models that reason refuse beside the rest, by the model's or the deployment's name, and what those refuse
 * that do not reason.
 */
import type { Body } from '../chat.js';
import { refused } from '../members.js';
import { answered, documented, onModels, type Rule, reported, shownBy, typed } from '../rule.js';
import { efforts } from '../thoughts.js';
import { toolsOrReasoning } from '../tools.js';

/** The o series and GPT-5; its chat models reason by themselves. */
const REASONING = /^(?:o\d|gpt-5)/;
const O_SERIES = /^o\d/;
const PLAIN = /^(?:gpt-[34]|chatgpt)/;

/** Which parameters which models have, as somebody tried. */
const TABLE = 'https://community.openai.com/t/developer-role-not-accepted-for-o1-o1-mini-o3-mini/1110750/7';

const unsupported = (name: string) => `Unsupported parameter: '${name}' is not supported with this model.`;
const onlyDefault = (value: unknown, name: string) => value === (name.endsWith('penalty') ? 0 : 1);

/**
 * GPT-5.1 to 5.4, which do not reason unless they are told to, take it then: https://github.com/vercel/ai/issues/10932,
 * https://github.com/BerriAI/litellm/pull/17011.
 */
function whileReasoning(...[evidence, members, words, isTaken]: Parameters<typeof refused>): Rule {
  const rule = refused(evidence, members, words, isTaken);
  const answersPlainly = (body: Body, model: string) =>
    /^gpt-5\.[1-4](?!.*(?:chat|codex|pro))/.test(model) && (body.reasoning_effort ?? 'none') === 'none';
  return {
    ...rule,
    violation: (body, context) =>
      answersPlainly(body, context.model) ? undefined : rule.violation(body, context),
  };
}

function effortsOf(models: RegExp, model: string, source: string, allowed: readonly string[]): Rule {
  const rule = efforts(reported(source), allowed, (effort) => {
    const listed = allowed.map((one) => `'${one}'`).join(', ');
    return `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model. Supported values are: ${listed}.`;
  });
  return answered(onModels(models, model, rule), { code: 'unsupported_value' });
}

function notOf(models: RegExp, model: string, rule: Rule): Rule {
  return answered(onModels(models, model, rule), { code: 'unsupported_parameter' });
}

const responsesOnly: Rule = {
  ...documented('https://developers.openai.com/api/docs/models/o3-pro'),
  refuses: 'Models that only the Responses API serves.',
  example: { refused: { model: 'o3-pro' }, taken: { model: 'o3' } },
  status: 404,
  violation: (_, { model }) =>
    /^(?:o\d-pro|gpt-5-pro)/.test(model)
      ? 'This model is only supported in v1/responses and not in v1/chat/completions.'
      : undefined,
};

export const REASONING_RULES: readonly Rule[] = [
  notOf(
    REASONING,
    'gpt-5.1',
    refused(
      reported('https://github.com/VoltAgent/voltagent/issues/471'),
      { max_tokens: 10 },
      (name) => `${unsupported(name)} Use 'max_completion_tokens' instead.`,
    ),
  ),
  answered(
    onModels(
      REASONING,
      'gpt-5.1',
      refused(
        reported('https://github.com/anomalyco/opencode/issues/1984'),
        { presence_penalty: 0.5, frequency_penalty: 0.5 },
        (name, value) =>
          `Unsupported value: '${name}' does not support ${JSON.stringify(value)} with this model. Only the default (1) value is supported.`,
        onlyDefault,
      ),
    ),
    { code: 'unsupported_value' },
  ),
  answered(
    onModels(
      REASONING,
      'gpt-5',
      whileReasoning(
        reported('https://github.com/anomalyco/opencode/issues/1984'),
        { temperature: 0.2, top_p: 0.9 },
        (name, value) =>
          `Unsupported value: '${name}' does not support ${JSON.stringify(value)} with this model. Only the default (1) value is supported.`,
        onlyDefault,
      ),
    ),
    { code: 'unsupported_value' },
  ),
  notOf(
    /^(?:o[34]|gpt-5)/,
    'gpt-5-mini',
    refused(reported('https://github.com/huggingface/smolagents/issues/1671'), { stop: ['x'] }, unsupported),
  ),
  notOf(
    O_SERIES,
    'o3',
    refused(
      reported(TABLE),
      { logprobs: true, logit_bias: { 1: 1 }, prediction: { type: 'content', content: 'x' } },
      unsupported,
    ),
  ),
  notOf(
    O_SERIES,
    'o4-mini',
    shownBy(
      refused(
        reported('https://github.com/evalstate/fast-agent/issues/279'),
        { parallel_tool_calls: true },
        unsupported,
      ),
      {
        refused: { parallel_tool_calls: true, tools: [{ type: 'function', function: { name: 'lookup' } }] },
        taken: { tools: [{ type: 'function', function: { name: 'lookup' } }] },
      },
    ),
  ),
  onModels(
    PLAIN,
    'gpt-4o',
    refused(
      reported(TABLE),
      { reasoning_effort: 'low' },
      (name) => `Unrecognized request argument supplied: ${name}`,
    ),
  ),
  effortsOf(O_SERIES, 'o3', 'https://github.com/nextai-translator/nextai-translator/pull/1842', [
    'low',
    'medium',
    'high',
  ]),
  effortsOf(
    /^gpt-5(?:-mini|-nano)?(?:-\d|$)/,
    'gpt-5',
    'https://learn.microsoft.com/en-us/javascript/api/@azure/ai-projects/reasoningeffort',
    ['minimal', 'low', 'medium', 'high'],
  ),
  effortsOf(/^gpt-5\.1(?!-codex)/, 'gpt-5.1', 'https://github.com/anomalyco/opencode/issues/4451', [
    'none',
    'low',
    'medium',
    'high',
  ]),
  onModels(
    /^gpt-5\.4/,
    'gpt-5.4',
    toolsOrReasoning(
      reported('https://github.com/openai/openai-openapi/issues/541'),
      (effort) => effort !== undefined && effort !== null && effort !== 'none',
      (model) =>
        `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. Please use /v1/responses instead.`,
    ),
  ),
  onModels(
    /^gpt-5\.[5-9]/,
    'gpt-5.6',
    toolsOrReasoning(
      reported('https://github.com/BerriAI/litellm/pull/34569'),
      (effort) => effort !== 'none',
      (model) =>
        `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
    ),
  ),
  responsesOnly,
  onModels(
    /^(?!gpt-5)/,
    'gpt-4o',
    refused(
      typed('npm openai 6.49.0 ChatCompletionCreateParamsBase.prompt_cache_options'),
      { prompt_cache_options: { mode: 'explicit' } },
      unsupported,
    ),
  ),
];
