/** Rules of `generateContent` about the configuration of the answer; some differ by model. */
import type { Rule } from '../rule.js';
import { list, record, words } from '../values.js';
import { type GenerateCall, isLate } from './body.js';

const SEEN = '2026-11-26';
const REFERENCE = 'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference';

/** The first that matches. */
const LEVELS_BY_MODEL: readonly (readonly [model: RegExp, levels: ReadonlySet<unknown>])[] = [
  [/gemini-3-pro/, words('LOW HIGH')],
  [/gemini-3\.\d-pro/, words('LOW MEDIUM HIGH')],
  [/gemini-3\.\d-flash(?:-lite)?-image/, words('MINIMAL HIGH')],
  [/gemini-3\.[78]-flash/, words('LOW MEDIUM HIGH')],
];

export const CONFIG_RULES: readonly Rule[] = [
  {
    refuses: 'empty stop sequences, and more than five',
    source: 'https://github.com/google-gemini/deprecated-generative-ai-python/issues/592',
    seen: SEEN,
    sure: 'documented',
    violation({ generationConfig }: GenerateCall) {
      const sequences = list(record(generationConfig).stopSequences);
      if (sequences.includes('')) return 'Unable to submit request because it has an empty stop sequence';
      return sequences.length > 5
        ? `Unable to submit request because it has ${sequences.length} stop sequences; at most 5 are supported.`
        : undefined;
    },
  },
  {
    refuses: 'a schema without a type of media, and log probabilities that were not asked for',
    source: REFERENCE,
    seen: SEEN,
    sure: 'documented',
    violation({ generationConfig }: GenerateCall) {
      const { responseJsonSchema, responseSchema, responseMimeType, logprobs, responseLogprobs } =
        record(generationConfig);
      if ((responseJsonSchema ?? responseSchema) !== undefined && responseMimeType === undefined) {
        return 'responseMimeType is required with a schema';
      }
      return logprobs !== undefined && responseLogprobs !== true
        ? 'logprobs is only allowed with response_logprobs'
        : undefined;
    },
  },
  {
    refuses: 'sampling out of range',
    source: REFERENCE,
    seen: SEEN,
    sure: 'documented',
    violation({ generationConfig }: GenerateCall) {
      const { temperature, topP, candidateCount, maxOutputTokens } = record(generationConfig);
      const isOut = (value: unknown, least: number, most: number) =>
        value !== undefined && !(Number(value) >= least && Number(value) <= most);
      return isOut(temperature, 0, 2) ||
        isOut(topP, 0, 1) ||
        isOut(candidateCount, 1, 8) ||
        isOut(maxOutputTokens, 1, Infinity)
        ? 'Unable to submit request because it has a parameter out of range.'
        : undefined;
    },
  },
  {
    refuses: 'penalties, since Gemini 2.5',
    source: 'https://github.com/vercel/ai/pull/17102',
    seen: SEEN,
    sure: 'reported',
    violation({ generationConfig }: GenerateCall, { model }) {
      const { frequencyPenalty, presencePenalty } = record(generationConfig);
      return (frequencyPenalty ?? presencePenalty) !== undefined && (isLate(model) || model.includes('2.5'))
        ? 'Penalty is not enabled for this model'
        : undefined;
    },
  },
  {
    refuses: 'log probabilities, since Gemini 3',
    source: 'https://github.com/GoogleCloudPlatform/generative-ai/issues/2947',
    seen: SEEN,
    sure: 'reported',
    violation: ({ generationConfig }: GenerateCall, { model }) =>
      record(generationConfig).responseLogprobs === true && isLate(model)
        ? 'Unable to submit request because Logprobs is not supported for this model.'
        : undefined,
  },
  {
    refuses: 'a budget and a level of thinking together',
    source: 'https://ai.google.dev/gemini-api/docs/thinking',
    seen: SEEN,
    sure: 'documented',
    violation({ generationConfig }: GenerateCall) {
      const { thinkingBudget, thinkingLevel } = record(record(generationConfig).thinkingConfig);
      return thinkingBudget !== undefined && thinkingLevel !== undefined
        ? 'You can only set only one of thinking budget and thinking level.'
        : undefined;
    },
  },
  {
    refuses: 'thinking, at models that do none',
    source: 'https://github.com/googleapis/js-genai/issues/681',
    seen: SEEN,
    sure: 'reported',
    violation: ({ generationConfig }: GenerateCall, { model }) =>
      record(generationConfig).thinkingConfig !== undefined && /gemini-(?:[01]|2\.0|2\.5-.*image)/.test(model)
        ? 'Unable to submit request because thinking is not supported by this model.'
        : undefined,
  },
  {
    refuses: 'levels of thinking before Gemini 3',
    source: 'https://github.com/RooCodeInc/Roo-Code/issues/10700',
    seen: SEEN,
    sure: 'reported',
    violation({ generationConfig }: GenerateCall, { model }) {
      const { thinkingLevel } = record(record(generationConfig).thinkingConfig);
      return thinkingLevel !== undefined && !isLate(model)
        ? 'Unable to submit request because Thinking level is not supported for this model.'
        : undefined;
    },
  },
  {
    refuses: 'levels of thinking that the model does not have',
    source: 'https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking',
    seen: SEEN,
    sure: 'documented',
    violation({ generationConfig }: GenerateCall, { model }) {
      const { thinkingLevel } = record(record(generationConfig).thinkingConfig);
      const has = LEVELS_BY_MODEL.find(([named]) => named.test(model))?.[1];
      return thinkingLevel !== undefined && has !== undefined && !has.has(thinkingLevel)
        ? `Unable to submit request because thinking_level ${thinkingLevel} is not supported by this model.`
        : undefined;
    },
  },
  {
    refuses: 'budgets of thinking out of range, and none at a Pro',
    source: 'https://github.com/vercel/ai/issues/8027',
    seen: SEEN,
    sure: 'reported',
    violation({ generationConfig }: GenerateCall, { model }) {
      const { thinkingBudget } = record(record(generationConfig).thinkingConfig);
      if (thinkingBudget === 0 && model.includes('pro')) {
        return 'Unable to submit request because Budget 0 is invalid. This model only works in thinking mode.';
      }
      return Number(thinkingBudget ?? 0) > 32_768 ? 'thinking_budget is out of range' : undefined;
    },
  },
];
