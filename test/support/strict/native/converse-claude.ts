import { CLAUDE_RULES } from './converse/claude.js';
import { CONTENT_RULES } from './converse/content.js';
import { TURN_RULES } from './converse/turns.js';
import type { StrictHost } from './rule.js';

/** Claude over Converse. */
export const CONVERSE_CLAUDE: StrictHost = {
  name: 'converse-claude',
  format: 'converse',
  model: 'anthropic.claude-haiku-4-5-20251001-v1:0',
  rules: [...TURN_RULES, ...CONTENT_RULES, ...CLAUDE_RULES],
};
