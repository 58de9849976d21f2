import {
  betaRule,
  FILE_RULE,
  MEMBERS,
  memberRule,
  plus,
  scopeRule,
  toolMemberRule,
  toolTypeRule,
  urlRule,
  versionRule,
  without,
} from './messages/members.js';
import { MESSAGES_RULES } from './messages/rules.js';
import type { StrictHost } from './rule.js';

const VERTEX = 'https://docs.anthropic.com/en/api/claude-on-vertex-ai';

/** Features that it has been seen to refuse. */
const REFUSED_BETAS = [
  'prompt-caching-2024-07-31',
  'prompt-caching-scope-2026-01-05',
  'structured-outputs-2025-12-15',
];

/** Those at which `speed: fast` is sold. */
const FAST_MODEL = 'claude-fable-5-2';

/** Claude at Vertex AI, over `rawPredict` and `streamRawPredict`. */
export const CLAUDE_VERTEX: StrictHost = {
  name: 'claude-vertex',
  format: 'messages',
  model: 'claude-haiku-4-5',
  rules: [
    versionRule('vertex-2023-10-16', VERTEX),
    betaRule(
      (beta) => REFUSED_BETAS.includes(beta),
      (refused) =>
        `Unexpected value(s) ${refused.map((name) => `\`${name}\``).join(', ')} for the \`anthropic-beta\` header. Please consult our documentation at docs.anthropic.com or try again without the header.`,
      { source: 'https://github.com/zed-industries/zed/issues/42715', sure: 'reported' },
    ),
    memberRule(
      plus(
        without(
          MEMBERS,
          'model',
          'cache_control',
          'container',
          'inference_geo',
          'service_tier',
          'diagnostics',
          'user_profile_id',
          'workspace_id',
        ),
        'anthropic_version',
      ),
      // `cache_control` in these words: https://github.com/UKGovernmentBEIS/inspect_ai/pull/3851.
      { source: 'https://github.com/dust-tt/dust/pull/27109', sure: 'reported' },
    ),
    {
      refuses: 'a speed of models that have one alone',
      source:
        'https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/partner-models/claude/fast-mode',
      seen: '2026-11-26',
      sure: 'documented',
      violation: ({ speed }: { readonly speed?: unknown }, { model }) =>
        speed === undefined || model.startsWith(FAST_MODEL)
          ? undefined
          : 'speed: Extra inputs are not permitted',
    },
    // Seen at Bedrock and other copies of the API; that Vertex AI is as strict is concluded from its other refusals.
    toolMemberRule('eager_input_streaming', {
      source: 'https://github.com/anthropics/claude-agent-sdk-python/issues/694',
      sure: 'assumed',
    }),
    toolMemberRule(
      'defer_loading',
      { source: 'https://github.com/evalstate/fast-agent/pull/941', sure: 'assumed' },
      'tool-search-tool-2025-10-19',
    ),
    toolMemberRule(
      'input_examples',
      { source: 'https://github.com/evalstate/fast-agent/pull/941', sure: 'assumed' },
      'tool-examples-2025-10-29',
    ),
    scopeRule({ source: 'https://github.com/zed-industries/zed/issues/42715', sure: 'assumed' }),
    urlRule({ source: 'https://github.com/BerriAI/litellm/issues/18430', sure: 'reported' }),
    FILE_RULE,
    toolTypeRule(['advisor_', 'code_execution_', 'mcp_toolset', 'web_fetch_'], [], {
      source: 'https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai',
      sure: 'assumed',
    }),
    ...MESSAGES_RULES,
  ],
};
