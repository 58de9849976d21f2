import { CONTENT_RULES } from './converse/content.js';
import {
  fieldRule,
  NO_CACHE_RULE,
  noResultImagesRule,
  noStreamedToolsRule,
  ONE_KIND_RULES,
} from './converse/models.js';
import { TURN_RULES } from './converse/turns.js';
import type { StrictHost } from './rule.js';

/** Mistral's models over Converse. Ids may be of any form there, since the service gives `tooluse_...` itself. */
export const CONVERSE_MISTRAL: StrictHost = {
  name: 'converse-mistral',
  format: 'converse',
  model: 'mistral.pixtral-large-2502-v1:0',
  rules: [
    ...TURN_RULES,
    ...CONTENT_RULES,
    NO_CACHE_RULE,
    ...ONE_KIND_RULES,
    noStreamedToolsRule('https://github.com/strands-agents/harness-sdk/issues/32'),
    noResultImagesRule('documented'),
    fieldRule(
      'top_k',
      'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-mistral.html',
      'assumed',
    ),
  ],
};
