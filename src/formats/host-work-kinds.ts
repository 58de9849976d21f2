/** What hosts do by themselves, by the tool or the member that asks for it. Sources: `docs/money.md#work-of-the-host`. */
import type { PriceKey } from '../catalog/types.js';

/** What is known of a kind of server tool, whichever request has it. */
export interface WorkKind {
  readonly priceKey: PriceKey | null;
  /** The member that bounds its uses, by its path below the tool; null: none does. */
  readonly boundedBy: string | null;
  /** The host's own maximum of uses where the request sets none. */
  readonly ownMaxUses: number | null;
  /** The host's own maximum of turns; null: as many as there are uses. */
  readonly ownMaxTurns: number | null;
  readonly growsContext: boolean;
}

/**
 * Anthropic pauses a long loop over server tools (`pause_turn`) without saying after how many turns; so many are assumed:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools (2026-11-25).
 */
const LOOP_TURNS = 10;

/** Searches that `web_search_options` may lead to: adapters send it where a host takes a maximum. */
export const MAX_WEB_SEARCHES = 10;

/** More are refused: https://discuss.ai.google.dev/t/inconsistent-behavior-with-url-context-limits/106543 (2026-11-25) */
const GOOGLE_URLS = 20;

/** Code that fails is made anew; so often is assumed. See https://ai.google.dev/gemini-api/docs/code-execution. */
const GOOGLE_CODE_RUNS = 5;

/** Results of Google's searches come into the prompt once, before the answer. */
const GOOGLE_SEARCH: WorkKind = {
  priceKey: 'web_search',
  boundedBy: null,
  ownMaxUses: MAX_WEB_SEARCHES,
  ownMaxTurns: 1,
  growsContext: true,
};

/** A tool that no row knows: nothing bounds what it costs. */
export const UNKNOWN_WORK: WorkKind = {
  priceKey: null,
  boundedBy: null,
  ownMaxUses: null,
  ownMaxTurns: null,
  growsContext: true,
};

/** A tool of Anthropic's without a price of its own: its loop bounds it. */
const IN_LOOP: WorkKind = {
  priceKey: null,
  boundedBy: 'max_uses',
  ownMaxUses: LOOP_TURNS,
  ownMaxTurns: null,
  growsContext: true,
};

/** By what a tool's type begins with. The first row that fits counts. */
export const WORK_BY_TYPE: readonly (readonly [prefix: string, kind: WorkKind])[] = [
  // OpenAI's dated names, which look like those of Anthropic.
  ['web_search_2025_', { ...UNKNOWN_WORK, priceKey: 'web_search' }],
  ['web_search_2026_', { ...UNKNOWN_WORK, priceKey: 'web_search' }],
  // Anthropic. A search has no maximum but `max_uses`: one turn may have several.
  ['web_search_20', { ...IN_LOOP, priceKey: 'web_search', ownMaxUses: null }],
  ['web_fetch_', IN_LOOP],
  ['code_execution_', { ...IN_LOOP, boundedBy: null }],
  ['tool_search_tool_', { ...IN_LOOP, boundedBy: null, growsContext: false }],
  ['advisor_', IN_LOOP],
  ['mcp_toolset', { ...IN_LOOP, boundedBy: null }],
  // Google, whose chats name the tool by its type or by a member.
  ['google_search', GOOGLE_SEARCH],
  ['googleSearch', GOOGLE_SEARCH],
  // They have prices of their own, which no catalogue has: docs/providers/google-vertex.md.
  ['enterprise_web_search', { ...GOOGLE_SEARCH, priceKey: null }],
  ['enterpriseWebSearch', { ...GOOGLE_SEARCH, priceKey: null }],
  ['google_maps', { ...GOOGLE_SEARCH, priceKey: null }],
  ['googleMaps', { ...GOOGLE_SEARCH, priceKey: null }],
  ['retrieval', { ...GOOGLE_SEARCH, priceKey: null }],
  ['url_context', { ...GOOGLE_SEARCH, priceKey: null, ownMaxUses: GOOGLE_URLS }],
  ['urlContext', { ...GOOGLE_SEARCH, priceKey: null, ownMaxUses: GOOGLE_URLS }],
  ['code_execution', { ...IN_LOOP, boundedBy: null, ownMaxUses: GOOGLE_CODE_RUNS }],
  ['codeExecution', { ...IN_LOOP, boundedBy: null, ownMaxUses: GOOGLE_CODE_RUNS }],
  // OpenAI and hosts that copy it.
  ['web_search', { ...UNKNOWN_WORK, priceKey: 'web_search' }],
  [
    'openrouter:web_search',
    { ...UNKNOWN_WORK, priceKey: 'web_search', boundedBy: 'parameters.max_total_results' },
  ],
  ['x_search', { ...UNKNOWN_WORK, priceKey: 'web_search' }],
  ['browser_search', { ...UNKNOWN_WORK, priceKey: 'web_search' }],
  ['file_search', UNKNOWN_WORK],
  ['code_interpreter', UNKNOWN_WORK],
  ['image_generation', UNKNOWN_WORK],
  ['mcp', UNKNOWN_WORK],
];

/** Members of a request that make the host search, or do more, without a tool. */
export const WORK_BY_MEMBER: ReadonlyMap<string, WorkKind> = new Map([
  [
    'web_search_options',
    {
      priceKey: 'web_search',
      boundedBy: null,
      ownMaxUses: MAX_WEB_SEARCHES,
      ownMaxTurns: null,
      growsContext: true,
    },
  ],
  // xAI: 20 sources unless it says another number (its documentation, and AI SDK's of `@ai-sdk/xai` 2.0, 2026-11-25).
  [
    'search_parameters',
    {
      priceKey: 'web_search',
      boundedBy: 'max_search_results',
      ownMaxUses: 20,
      ownMaxTurns: 1,
      growsContext: true,
    },
  ],
  // Qwen, GLM, Perplexity's agents, OpenRouter, Cohere, Mistral.
  ['enable_search', { ...UNKNOWN_WORK, priceKey: 'web_search' }],
  ['web_search', { ...UNKNOWN_WORK, priceKey: 'web_search' }],
  ['web_search_tool', { ...UNKNOWN_WORK, priceKey: 'web_search' }],
  ['plugins', { ...UNKNOWN_WORK, priceKey: 'web_search' }],
  ['connectors', UNKNOWN_WORK],
  ['compound_custom', UNKNOWN_WORK],
  // Azure.
  ['data_sources', UNKNOWN_WORK],
  // Anthropic.
  ['mcp_servers', { ...IN_LOOP, boundedBy: null }],
]);

/** Having a long conversation summarised. */
export const COMPACTION: WorkKind = { ...IN_LOOP, boundedBy: null, growsContext: false };
