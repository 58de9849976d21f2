import { type ConverseBody, cachePoints, toolSpecs } from './converse/body.js';
import { CONTENT_RULES } from './converse/content.js';
import { fieldRule, novaSchema } from './converse/models.js';
import { TURN_RULES } from './converse/turns.js';
import type { StrictHost } from './rule.js';
import { record, records } from './values.js';

const SEEN = '2026-11-26';

/** Amazon Nova over Converse. A forced tool is taken since 2025: https://docs.aws.amazon.com/nova/latest/userguide/tool-choice.html. */
export const CONVERSE_NOVA: StrictHost = {
  name: 'converse-nova',
  format: 'converse',
  model: 'amazon.nova-pro-v1:0',
  rules: [
    ...TURN_RULES,
    ...CONTENT_RULES,
    fieldRule(
      'inferenceConfig reasoningConfig',
      'https://github.com/UKGovernmentBEIS/inspect_ai/issues/3939',
      'reported',
    ),
    {
      refuses: 'a topK outside of 1 to 128',
      source: 'https://github.com/aws-samples/bedrock-chat/pull/645',
      seen: SEEN,
      sure: 'reported',
      violation({ additionalModelRequestFields }: ConverseBody) {
        const { topK } = record(record(additionalModelRequestFields).inferenceConfig);
        return topK === undefined || (Number(topK) >= 1 && Number(topK) <= 128)
          ? undefined
          : 'Malformed input request: #/inferenceConfig/topK: expected a value from 1 to 128';
      },
    },
    {
      refuses: 'words at the root of a schema other than type, properties, required and description',
      source: 'https://github.com/zed-industries/zed/issues/28521',
      seen: SEEN,
      sure: 'reported',
      violation: (body: ConverseBody) =>
        toolSpecs(body)
          .map(novaSchema)
          .find((found) => found !== undefined),
    },
    {
      refuses: 'several texts of the system',
      source: 'https://github.com/aws-samples/bedrock-chat/pull/645',
      seen: SEEN,
      sure: 'assumed',
      violation: ({ system }: ConverseBody) =>
        records(system).filter(({ text }) => text !== undefined).length > 1
          ? 'Malformed input request: #/system: expected one text'
          : undefined,
    },
    {
      refuses:
        'names of tools that do not begin with a letter, or have other characters than letters, digits and _',
      // It can't write a call of one. Measured with hyphens: https://github.com/SEMOSS/Semoss/pull/2892.
      source:
        'https://repost.aws/questions/QUAye7aPrtTGuQ0an81n2WTQ/aws-nova-models-tools-naming-convention-issue',
      seen: SEEN,
      sure: 'reported',
      violation: (body: ConverseBody) =>
        toolSpecs(body).some(({ spec: { name } }) => !/^[a-zA-Z][a-zA-Z0-9_]*$/.test(String(name)))
          ? 'Model produced invalid sequence as part of ToolUse. Please refer to the model tool use troubleshooting guide.'
          : undefined,
    },
    {
      refuses: 'a cache of an hour',
      source: 'https://github.com/timothy-agent/timothy/issues/755',
      seen: SEEN,
      sure: 'reported',
      violation: (body: ConverseBody) =>
        cachePoints(body).some(({ point: { ttl } }) => ttl === '1h')
          ? 'Extended TTL prompt caching is only supported for Anthropic models'
          : undefined,
    },
    {
      refuses: 'cache points after tools',
      source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html',
      seen: SEEN,
      sure: 'documented',
      violation: (body: ConverseBody) =>
        cachePoints(body).some(({ at }) => at.startsWith('toolConfig'))
          ? 'Malformed input request: #/toolConfig/tools: extraneous key [cachePoint] is not permitted, please reformat your input and try again.'
          : undefined,
    },
  ],
};
