/** Azure: OpenAI's rules, and what it lacks beside. */
import { refused, refusedAnywhere } from '../members.js';
import { openAiRefusal } from '../refusals.js';
import { onModels, reported, type StrictHost } from '../rule.js';
import { OPENAI_RULES } from './openai.js';

const unrecognized = (path: string) => `Unrecognized request argument supplied: ${path.split('.').at(-1)}`;

export const azure: StrictHost = {
  name: 'azure',
  format: 'chat',
  model: 'gpt-4o',
  rules: [
    refusedAnywhere(
      reported('https://github.com/gethnet/litellm-connector-copilot/pull/138'),
      'cache_control',
      unrecognized,
    ),
    onModels(
      /^(?:kimi|deepseek|llama|mistral|grok|phi)/i,
      'DeepSeek-V3.2',
      refused(
        reported('https://github.com/vectorize-io/hindsight/issues/3518'),
        { prompt_cache_key: 'x' },
        unrecognized,
      ),
    ),
    onModels(
      /^gpt-4/,
      'gpt-4.1',
      refused(
        reported('https://github.com/OpenHands/software-agent-sdk/issues/2295'),
        { prompt_cache_retention: '24h' },
        (name) => `${name} is not supported on this model`,
      ),
    ),
    ...OPENAI_RULES,
  ],
  refuse: openAiRefusal,
};
