import { CONTENT_RULES } from './converse/content.js';
import {
  fieldRule,
  NO_CACHE_RULE,
  noForcedToolRule,
  noResultImagesRule,
  noStreamedToolsRule,
  ONE_KIND_RULES,
} from './converse/models.js';
import { TURN_RULES } from './converse/turns.js';
import type { StrictHost } from './rule.js';

/** Meta's Llama over Converse. */
export const CONVERSE_LLAMA: StrictHost = {
  name: 'converse-llama',
  format: 'converse',
  model: 'meta.llama4-maverick-17b-instruct-v1:0',
  rules: [
    ...TURN_RULES,
    ...CONTENT_RULES,
    NO_CACHE_RULE,
    ...ONE_KIND_RULES,
    noStreamedToolsRule('https://github.com/earendil-works/pi/issues/3739'),
    noForcedToolRule('https://github.com/maximhq/bifrost/pull/3196'),
    // Llama 4 has been seen to take them; the document names only Nova and Claude.
    noResultImagesRule('documented'),
    fieldRule(
      '',
      'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-meta.html',
      'assumed',
    ),
  ],
};
