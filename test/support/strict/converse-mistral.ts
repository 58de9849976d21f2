import { type ConverseBody, eachBlock } from './converse/body.js';
import { CONTENT_RULES } from './converse/content.js';
import { fieldRule, NO_CACHE_RULE, noResultImagesRule, noStreamedToolsRule } from './converse/models.js';
import { TURN_RULES } from './converse/turns.js';
import type { StrictHost } from './rule.js';
import { record } from './values.js';

/** Mistral's models over Converse. */
export const CONVERSE_MISTRAL: StrictHost = {
  name: 'converse-mistral',
  format: 'converse',
  model: 'mistral.pixtral-large-2502-v1:0',
  rules: [
    ...TURN_RULES,
    ...CONTENT_RULES,
    NO_CACHE_RULE,
    noStreamedToolsRule('https://github.com/strands-agents/harness-sdk/issues/32'),
    noResultImagesRule('documented'),
    fieldRule(
      'top_k',
      'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-mistral.html',
      'assumed',
    ),
    {
      refuses: 'ids of calls other than nine letters and digits',
      source: 'https://github.com/Tracer-Cloud/opensre/pull/2381',
      seen: '2026-11-26',
      sure: 'assumed',
      violation: (body: ConverseBody) =>
        eachBlock(body, ({ block: { toolUse, toolResult } }) => {
          const used = toolUse ?? toolResult;
          return used === undefined || /^[a-zA-Z0-9]{9}$/.test(String(record(used).toolUseId))
            ? undefined
            : 'Tool call id has to be defined, must be a-z, A-Z, 0-9, with a length of 9.';
        }),
    },
  ],
};
