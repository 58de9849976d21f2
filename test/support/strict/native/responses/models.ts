/** What OpenAI's models refuse beside the rest, by their names. */
import type { Rule } from '../rule.js';
import { list, record } from '../values.js';
import { first, rule } from './rule.js';

const REASONING = /^(?:o\d|gpt-5(?!.*chat))/;

/** Those that only reason where they are told to: https://github.com/vercel/ai/issues/10932. */
const PLAIN_BY_DEFAULT = /^gpt-5\.[1-4](?!.*(?:chat|codex|pro))/;

const EFFORTS: readonly (readonly [models: RegExp, efforts: readonly string[]])[] = [
  [/^gpt-5\.[2-9]/, ['none', 'low', 'medium', 'high', 'xhigh']],
  [/^gpt-5\.1/, ['none', 'low', 'medium', 'high']],
  [/^gpt-5/, ['minimal', 'low', 'medium', 'high']],
  [/^o\d/, ['low', 'medium', 'high']],
];

const unsupported = (name: string) => `Unsupported parameter: '${name}' is not supported with this model.`;

export const MODEL_RULES: readonly Rule[] = [
  rule(
    {
      refuses: 'encrypted reasoning of a model that does not reason',
      source: 'https://github.com/pydantic/pydantic-ai/issues/2865',
      sure: 'reported',
    },
    ({ include }, model) =>
      list(include).includes('reasoning.encrypted_content') && !REASONING.test(model)
        ? 'Encrypted content is not supported with this model.'
        : undefined,
  ),
  rule(
    {
      refuses: 'sampling while the model reasons',
      source: 'https://github.com/OpenHands/software-agent-sdk/issues/1837',
      sure: 'reported',
    },
    ({ temperature, top_p, reasoning }, model) => {
      const { effort } = record(reasoning);
      const isPlain = PLAIN_BY_DEFAULT.test(model) && (effort ?? 'none') === 'none';
      if (!REASONING.test(model) || isPlain) return undefined;
      if (temperature != null) return unsupported('temperature');
      return top_p == null ? undefined : unsupported('top_p');
    },
  ),
  rule(
    {
      refuses: 'efforts that the model does not have',
      source: 'https://learn.microsoft.com/en-us/javascript/api/@azure/ai-projects/reasoningeffort',
      sure: 'typed',
    },
    ({ reasoning }, model) => {
      const { effort } = record(reasoning);
      if (effort == null) return undefined;
      if (!REASONING.test(model)) return unsupported('reasoning.effort');
      const [, efforts = []] = EFFORTS.find(([models]) => models.test(model)) ?? [];
      return efforts.includes(String(effort))
        ? undefined
        : `Unsupported value: '${effort}' is not supported with the '${model}' model. Supported values are: ${efforts.map((one) => `'${one}'`).join(', ')}.`;
    },
  ),
  rule(
    {
      refuses: 'verbosities that the model does not have',
      source: 'https://github.com/google-deepmind/concordia/issues/164',
      sure: 'reported',
    },
    ({ text }, model) => {
      const { verbosity } = record(text);
      const isFree = /^gpt-5(?!.*(?:chat|codex))/.test(model) || verbosity == null || verbosity === 'medium';
      return isFree
        ? undefined
        : `Unsupported value: 'text.verbosity' does not support '${verbosity}' with this model. Supported values are: 'medium'.`;
    },
  ),
  rule(
    {
      refuses: 'numbers that are out of range',
      source: 'npm openai 6.49.0 ResponseCreateParamsBase.temperature',
      sure: 'typed',
    },
    ({ temperature, top_p, top_logprobs }) =>
      first([
        () => outOf('temperature', temperature, 2),
        () => outOf('top_p', top_p, 1),
        () => outOf('top_logprobs', top_logprobs, 20),
      ]),
  ),
];

function outOf(name: string, value: unknown, most: number): string | undefined {
  return typeof value === 'number' && (value < 0 || value > most)
    ? `Invalid '${name}': decimal above maximum value. Expected a value <= ${most}, but got ${value} instead.`
    : undefined;
}
