import type { Rule } from '../rule.js';
import { CONTENT_RULES } from './content.js';
import { MARK_RULES } from './marks.js';
import { MAX_TOKENS_RULE } from './members.js';
import { STRAY_RULES } from './strays.js';
import { THINKING_RULES } from './thinking.js';
import { TOOL_RULES } from './tools.js';
import { TURN_RULES } from './turns.js';

/** What Claude refuses of a Messages body, at any host. */
export const MESSAGES_RULES: readonly Rule[] = [
  MAX_TOKENS_RULE,
  ...TURN_RULES,
  ...CONTENT_RULES,
  ...STRAY_RULES,
  ...TOOL_RULES,
  ...MARK_RULES,
  ...THINKING_RULES,
];
