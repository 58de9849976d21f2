import type { MessagesCall } from './messages/body.js';
import { MEMBERS, memberRule } from './messages/members.js';
import { MESSAGES_RULES } from './messages/rules.js';
import type { StrictHost } from './rule.js';

/** Anthropic's own Messages API. The model is one that takes budgets, sampling and a prefilled answer. */
export const ANTHROPIC: StrictHost = {
  name: 'anthropic',
  format: 'messages',
  model: 'claude-haiku-4-5',
  rules: [
    memberRule(MEMBERS, {
      source: '@anthropic-ai/sdk MessageCreateParams, BetaMessageCreateParams',
      sure: 'typed',
    }),
    {
      refuses: 'bodies without a model',
      source: '@anthropic-ai/sdk MessageCreateParamsBase',
      seen: '2026-11-26',
      sure: 'typed',
      violation: ({ model }: MessagesCall) =>
        typeof model === 'string' ? undefined : 'model: Field required',
    },
    ...MESSAGES_RULES,
  ],
};

/** The same with a late model: adaptive thinking, no sampling, no prefilled answer. */
export const ANTHROPIC_LATE: StrictHost = { ...ANTHROPIC, name: 'anthropic-late', model: 'claude-opus-4-8' };
