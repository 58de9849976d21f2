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
import { NO_CITATIONS_RULE } from './messages/strays.js';
import type { StrictHost } from './rule.js';

/**
 * Names that Amazon knows: LiteLLM's `anthropic_beta_headers_config.json`, `bedrock` (at commit 030dd40, 2026-11-26), examples of
 * tools, and interleaved thinking, which Claude Code puts into the body there (`BEDROCK_EXTRA_PARAMS_HEADERS` in its
 * `constants/betas.ts`, as several repositories have it).
 */
const BETAS = [
  'compact-2026-01-12',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'context-management-2025-06-27',
  'effort-2025-11-24',
  'tool-search-tool-2025-10-19',
  'tool-examples-2025-10-29',
];

const TABLE = 'https://github.com/BerriAI/litellm/blob/main/litellm/anthropic_beta_headers_config.json';

/** Claude at Bedrock over InvokeModel, in the format of Messages. */
export const CLAUDE_BEDROCK: StrictHost = {
  name: 'claude-bedrock',
  format: 'messages',
  model: 'claude-haiku-4-5',
  rules: [
    versionRule(
      'bedrock-2023-05-31',
      'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html',
    ),
    betaRule(
      (beta) => !BETAS.includes(beta),
      () => 'invalid beta flag',
      { source: TABLE, sure: 'reported' },
    ),
    memberRule(
      plus(
        without(
          MEMBERS,
          'model',
          'stream',
          'metadata',
          'service_tier',
          'container',
          'inference_geo',
          'speed',
          'diagnostics',
          'cache_control',
          'user_profile_id',
          'workspace_id',
        ),
        'anthropic_version',
        'anthropic_beta',
      ),
      // Also https://github.com/UKGovernmentBEIS/inspect_ai/pull/3851: `cache_control: Extra inputs are not permitted`.
      { source: 'https://github.com/coder/aibridge/pull/226', sure: 'reported' },
    ),
    toolMemberRule('eager_input_streaming', {
      source: 'https://github.com/anthropics/claude-agent-sdk-python/issues/694',
      sure: 'reported',
    }),
    toolMemberRule(
      'input_examples',
      { source: 'https://github.com/BerriAI/litellm/issues/16679', sure: 'reported' },
      'tool-examples-2025-10-29',
    ),
    toolMemberRule(
      'defer_loading',
      { source: 'https://github.com/BerriAI/litellm/pull/36855', sure: 'assumed' },
      'tool-search-tool-2025-10-19',
    ),
    scopeRule({ source: 'https://github.com/Wei-Shaw/claude-relay-service/pull/965', sure: 'reported' }),
    urlRule({
      source: 'https://github.com/anthropics/anthropic-sdk-typescript/issues/1038',
      sure: 'assumed',
    }),
    FILE_RULE,
    // What needs which feature: https://github.com/BerriAI/litellm/pull/36502, https://github.com/BerriAI/litellm/issues/14623.
    toolTypeRule(
      ['advisor_', 'code_execution_', 'mcp_toolset', 'tool_search_tool_bm25', 'web_fetch_', 'web_search_'],
      [
        ['computer_20250124', 'computer-use-2025-01-24'],
        ['computer_20251124', 'computer-use-2025-11-24'],
        ['tool_search_tool_', 'tool-search-tool-2025-10-19'],
      ],
      { source: 'https://github.com/anthropics/anthropic-sdk-python/issues/948', sure: 'reported' },
    ),
    NO_CITATIONS_RULE,
    ...MESSAGES_RULES,
  ],
};
