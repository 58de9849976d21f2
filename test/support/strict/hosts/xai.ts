/** xAI, which names parameters in its own spelling. */
import { argumentsParse } from '../calls.js';
import { contentMember } from '../contents.js';
import { refused, within } from '../members.js';
import { documented, onModels, reported, type StrictHost } from '../rule.js';
import { efforts } from '../thoughts.js';
import { toolCount } from '../tools.js';

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const unsupported = (name: string) => `Argument not supported on this model: ${camel(name)}`;

export const xai: StrictHost = {
  name: 'xai',
  format: 'chat',
  model: 'grok-4.3',
  rules: [
    onModels(
      /grok-(?:[4-9]|3|code)/,
      'grok-4',
      refused(
        reported('https://github.com/miaoxworld/NativeTavern/issues/83'),
        { presence_penalty: 0, frequency_penalty: 0 },
        unsupported,
      ),
    ),
    onModels(
      /grok-(?:[4-9]|3-mini|code)/,
      'grok-4',
      refused(reported('https://github.com/BerriAI/litellm/issues/12635'), { stop: ['x'] }, unsupported),
    ),
    onModels(
      /grok-4(?:-|$|\.20)/,
      'grok-4.20-reasoning',
      refused(
        reported('https://github.com/vercel/ai/releases/tag/@ai-sdk%2Fxai@4.0.8'),
        { reasoning_effort: 'low' },
        unsupported,
      ),
    ),
    onModels(
      /grok-4\.3/,
      'grok-4.3',
      efforts(
        documented('https://docs.x.ai/developers/model-capabilities/text/reasoning'),
        ['none', 'low', 'medium', 'high'],
        (effort) => `Invalid reasoning effort: ${effort}`,
      ),
    ),
    contentMember(
      reported('https://github.com/langchain-ai/langchain/issues/34140'),
      'Invalid request content: Each message must have at least one content element.',
    ),
    argumentsParse(
      reported('https://github.com/spiceai/spiceai/issues/4734'),
      (id) => `The arguments to a tool_call with ID '${id}' are not a valid JSON string.`,
    ),
    toolCount(
      reported('https://github.com/router-for-me/CLIProxyAPI/issues/5214'),
      200,
      () => 'Maximum tools limit reached.',
    ),
    within(documented('https://docs.x.ai/docs/api-reference'), 'temperature', { least: 0, most: 2 }),
  ],
  refuse: (error, { status = 400 }) => ({
    status,
    body: { code: 'Client specified an invalid argument', error },
  }),
};
