/** What hosts do on their own, by the tool or member that asks for it. Sources: `docs/money.md#work-of-the-host`. */
import type { PriceKey } from '../catalog/types.js';

/** What is known about a kind of server tool, whichever request has it. */
export interface WorkKind {
  readonly priceKey: PriceKey | null;
  /** The member that limits its uses, as a path below the tool; null = none does. */
  readonly boundedBy: string | null;
  /** The host's maximum of uses if the request sets none. */
  readonly ownMaxUses: number | null;
  /** The host's maximum of turns; null = as many as there are uses. */
  readonly ownMaxTurns: number | null;
  readonly growsContext: boolean;
}

/**
 * The assumed number of turns after which Anthropic pauses a loop over server tools (`pause_turn`). It does not say how
 * many: https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools (2026-11-25).
 */
const LOOP_TURNS = 10;

/** Searches that `web_search_options` may lead to. Adapters send this number to hosts that take a maximum. */
export const MAX_WEB_SEARCHES = 10;

/**
 * Google refuses more: https://discuss.ai.google.dev/t/inconsistent-behavior-with-url-context-limits/106543
 * (2026-11-25)
 */
const GOOGLE_URLS = 20;

/**
 * How often code that fails is assumed to be written anew. See https://ai.google.dev/gemini-api/docs/code-execution.
 */
const GOOGLE_CODE_RUNS = 5;

/** Google adds the results of its searches to the prompt once, before the answer. */
const GOOGLE_SEARCH: WorkKind = {
  priceKey: 'web_search',
  boundedBy: null,
  ownMaxUses: MAX_WEB_SEARCHES,
  ownMaxTurns: 1,
  growsContext: true,
};

/** A tool that no row describes: nothing limits its cost. */
export const UNKNOWN_WORK: WorkKind = {
  priceKey: null,
  boundedBy: null,
  ownMaxUses: null,
  ownMaxTurns: null,
  growsContext: true,
};

/** A tool of Anthropic's without a price of its own. Only the loop that it runs in limits it. */
const IN_LOOP: WorkKind = {
  priceKey: null,
  boundedBy: 'max_uses',
  ownMaxUses: LOOP_TURNS,
  ownMaxTurns: null,
  growsContext: true,
};

/** By the beginning of a tool's type. The first row that matches counts. */
export const WORK_BY_TYPE: readonly (readonly [prefix: string, kind: WorkKind])[] = [
  // OpenAI's dated names, which look like Anthropic's.
  ['web_search_2025_', { ...UNKNOWN_WORK, priceKey: 'web_search' }],
  ['web_search_2026_', { ...UNKNOWN_WORK, priceKey: 'web_search' }],
  // Anthropic. Only `max_uses` limits searches: one turn may have several.
  ['web_search_20', { ...IN_LOOP, priceKey: 'web_search', ownMaxUses: null }],
  ['web_fetch_', IN_LOOP],
  ['code_execution_', { ...IN_LOOP, boundedBy: null }],
  ['tool_search_tool_', { ...IN_LOOP, boundedBy: null, growsContext: false }],
  ['tool_search', { ...IN_LOOP, boundedBy: null, growsContext: false }],
  ['advisor_', IN_LOOP],
  ['mcp_toolset', { ...IN_LOOP, boundedBy: null }],
  // Google, where chats name the tool by its type or by a member.
  ['google_search', GOOGLE_SEARCH],
  ['googleSearch', GOOGLE_SEARCH],
  // Their own prices are in no catalogue: docs/providers/google-vertex.md.
  ['enterprise_web_search', { ...GOOGLE_SEARCH, priceKey: null }],
  ['enterpriseWebSearch', { ...GOOGLE_SEARCH, priceKey: null }],
  ['google_maps', { ...GOOGLE_SEARCH, priceKey: null }],
  ['googleMaps', { ...GOOGLE_SEARCH, priceKey: null }],
  ['retrieval', { ...GOOGLE_SEARCH, priceKey: null }],
  ['url_context', { ...GOOGLE_SEARCH, priceKey: null, ownMaxUses: GOOGLE_URLS }],
  ['urlContext', { ...GOOGLE_SEARCH, priceKey: null, ownMaxUses: GOOGLE_URLS }],
  ['code_execution', { ...IN_LOOP, boundedBy: null, ownMaxUses: GOOGLE_CODE_RUNS }],
  ['codeExecution', { ...IN_LOOP, boundedBy: null, ownMaxUses: GOOGLE_CODE_RUNS }],
  // OpenAI, and hosts that copy it.
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

/** Members of a request that make the host search, or do more, without any tool. */
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
  // xAI: 20 sources unless the request sets a number (its documentation, and AI SDK's `@ai-sdk/xai` 2.0, 2026-11-25).
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

/** A request to summarise a long conversation. */
export const COMPACTION: WorkKind = { ...IN_LOOP, boundedBy: null, growsContext: false };
