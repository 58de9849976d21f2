import { ANTHROPIC } from './anthropic.js';
import { MEMBERS, memberRule, without } from './messages/members.js';
import type { StrictHost } from './rule.js';

/**
 * Claude at Microsoft Foundry: Anthropic's API, in which the deployment decides about speed and place. That it refuses the
 * members is concluded from how Anthropic refuses others.
 */
export const CLAUDE_FOUNDRY: StrictHost = {
  ...ANTHROPIC,
  name: 'claude-foundry',
  rules: [
    // The place: https://platform.claude.com/docs/en/manage-claude/data-residency.
    memberRule(without(MEMBERS, 'inference_geo', 'speed'), {
      source: 'https://platform.claude.com/docs/en/build-with-claude/fast-mode',
      sure: 'assumed',
    }),
    ...ANTHROPIC.rules.slice(1),
  ],
};
