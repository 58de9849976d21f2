/**
 * What a request asks the provider's host to do by itself: its server tools, and members that mean the same. Sources:
 * `docs/money.md#work-of-the-host`.
 */
import type { PriceKey } from '../catalog/types.js';
import type { JsonObject } from './chat/types.js';
import { elements, isObject, members, textOf } from './json.js';

/** One server tool of a request, or a member that is one in all but name. */
export interface HostWork {
  /** The tool's type, or the member's name. */
  readonly type: string;
  /** Of the member that asks for it: `tools[0]`, `web_search_options`. */
  readonly path: string;
  /** The price of a use; null: none but that of tokens. */
  readonly priceKey: PriceKey | null;
  /**
   * The most uses: what the request says, else the host's own maximum; null where neither says one. What a request says is
   * not a whole number >= 0 is taken as nothing said.
   */
  readonly maxUses: number | null;
  /** The most turns that the host takes by itself after the first, each over the whole prompt; null: nobody says. */
  readonly maxTurns: number | null;
  /** Whether its results become part of the prompt of further turns. */
  readonly growsContext: boolean;
  /** The member that bounds `maxUses` or, where nothing else does, would; null: there is none. */
  readonly boundedBy: string | null;
  /** A model that it names, as the host names it. */
  readonly model?: string;
}

/** What is known of a kind of server tool, whichever request has it. */
interface Kind {
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
 * Anthropic's loop over server tools pauses after this many turns:
 * https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons (2026-11-25).
 */
const LOOP_TURNS = 10;

/** Of a use beyond `max_uses` the model is told that it is refused, in a turn more. */
const REFUSED_USE = 1;

/** Searches that `web_search_options` may lead to: adapters send it where a host takes a maximum. */
export const MAX_WEB_SEARCHES = 10;

/** https://docs.cloud.google.com/vertex-ai/generative-ai/docs/url-context (2026-11-25) */
const GOOGLE_URLS = 20;

/** https://ai.google.dev/gemini-api/docs/code-execution (2026-11-25): code is made anew at most this often. */
const GOOGLE_CODE_RUNS = 5;

/** Results of Google's searches come into the prompt once, before the answer. */
const GOOGLE_SEARCH: Kind = {
  priceKey: 'web_search',
  boundedBy: null,
  ownMaxUses: MAX_WEB_SEARCHES,
  ownMaxTurns: 1,
  growsContext: true,
};

/** A tool that no row knows: nothing bounds what it costs. */
const UNKNOWN: Kind = {
  priceKey: null,
  boundedBy: null,
  ownMaxUses: null,
  ownMaxTurns: null,
  growsContext: true,
};

/** A tool of Anthropic's without a price of its own: its loop bounds it. */
const IN_LOOP: Kind = {
  priceKey: null,
  boundedBy: 'max_uses',
  ownMaxUses: LOOP_TURNS,
  ownMaxTurns: null,
  growsContext: true,
};

/** By what a tool's type begins with. Types of tools that the client runs are in `CLIENT_TOOLS`. */
const BY_TYPE: readonly (readonly [prefix: string, kind: Kind])[] = [
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
  ['enterprise_web_search', GOOGLE_SEARCH],
  ['enterpriseWebSearch', GOOGLE_SEARCH],
  ['google_maps', GOOGLE_SEARCH],
  ['googleMaps', GOOGLE_SEARCH],
  ['retrieval', { ...GOOGLE_SEARCH, priceKey: null }],
  ['url_context', { ...GOOGLE_SEARCH, priceKey: null, ownMaxUses: GOOGLE_URLS }],
  ['urlContext', { ...GOOGLE_SEARCH, priceKey: null, ownMaxUses: GOOGLE_URLS }],
  ['code_execution', { ...IN_LOOP, boundedBy: null, ownMaxUses: GOOGLE_CODE_RUNS }],
  ['codeExecution', { ...IN_LOOP, boundedBy: null, ownMaxUses: GOOGLE_CODE_RUNS }],
  // OpenAI and hosts that copy it.
  ['web_search', { ...UNKNOWN, priceKey: 'web_search' }],
  [
    'openrouter:web_search',
    { ...UNKNOWN, priceKey: 'web_search', boundedBy: 'parameters.max_total_results' },
  ],
  ['x_search', { ...UNKNOWN, priceKey: 'web_search' }],
  ['browser_search', { ...UNKNOWN, priceKey: 'web_search' }],
  ['file_search', UNKNOWN],
  ['code_interpreter', UNKNOWN],
  ['image_generation', UNKNOWN],
  ['mcp', UNKNOWN],
];

/** What types of tools begin with that the client runs: the host only asks for them. */
const CLIENT_TOOLS: readonly string[] = [
  'function',
  'custom',
  'bash',
  'text_editor_',
  'computer',
  'memory_',
  'local_shell',
  'apply_patch',
];

/** Google's tools are also named by a member, whatever the type beside it says. */
const GOOGLE_MEMBER = /^(google|enterprise|retrieval$|url_?context$|code_?execution$)/i;

/** Members of a tool that the client runs, in formats without types. */
const CLIENT_MEMBERS: ReadonlySet<string> = new Set([
  'function',
  'functionDeclarations',
  'function_declarations',
  'input_schema',
  'name',
]);

/** Members of a request that make the host search, or do more, without a tool. */
const BY_MEMBER: ReadonlyMap<string, Kind> = new Map([
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
  // xAI (https://docs.x.ai/docs/guides/live-search, 2026-11-25): 20 sources unless it says another number.
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
  ['enable_search', { ...UNKNOWN, priceKey: 'web_search' }],
  ['web_search', { ...UNKNOWN, priceKey: 'web_search' }],
  ['web_search_tool', { ...UNKNOWN, priceKey: 'web_search' }],
  ['plugins', { ...UNKNOWN, priceKey: 'web_search' }],
  ['connectors', UNKNOWN],
  ['compound_custom', UNKNOWN],
  // Azure.
  ['data_sources', UNKNOWN],
  // Anthropic.
  ['mcp_servers', { ...IN_LOOP, boundedBy: null }],
]);

/** Models that search before every answer, whether a request asks for it or not: Perplexity's, and OpenAI's for search. */
const SEARCHING_MODEL = /(?:^|[/.:-])sonar|-search-(?:preview|api)|:online$/;

/** Whether the model searches without being asked to, by its name at the provider. */
export function searchesUnasked(upstreamModelId: string): boolean {
  return SEARCHING_MODEL.test(upstreamModelId);
}

/** Nothing: what nearly all requests ask for. */
const NO_WORK: readonly HostWork[] = [];

/** What a request asks its host to do by itself: a chat, or one in the Messages format as it was sent. */
export function hostWorkOf(body: JsonObject): readonly HostWork[] {
  let work: HostWork[] | undefined;
  for (const name of Object.keys(body)) {
    const found = workIn(name, body[name]);
    if (found.length > 0) work = [...(work ?? []), ...found];
  }
  return work ?? NO_WORK;
}

function workIn(name: string, value: unknown): readonly HostWork[] {
  if (value === undefined || value === null || value === false) return NO_WORK;
  if (name === 'tools') return toolWork(value);
  if (name === 'fallbacks') return elements(value).map(fallbackWork);
  if (name === 'context_management') return compactions(value);
  const kind = BY_MEMBER.get(name);
  if (kind === undefined || (isEmptyList(value) && name !== 'web_search_options')) return NO_WORK;
  return [describe(kind, name, name, members(value))];
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function toolWork(tools: unknown): readonly HostWork[] {
  let work: HostWork[] | undefined;
  for (const [position, tool] of elements(tools).entries()) {
    const type = isObject(tool) ? serverType(tool) : undefined;
    if (type === undefined) continue;
    const [, kind] = BY_TYPE.find(([prefix]) => type.startsWith(prefix)) ?? ['', UNKNOWN];
    work ??= [];
    work.push(describe(kind, type, `tools[${position}]`, members(tool)));
  }
  return work ?? NO_WORK;
}

/** What names the tool where the host runs it; undefined for one that the client runs. */
function serverType(tool: JsonObject): string | undefined {
  const names = Object.keys(tool);
  const google = names.find((name) => GOOGLE_MEMBER.test(name));
  if (google !== undefined) return google;
  const type = textOf(tool.type);
  if (type !== undefined) return isClientTool(type) ? undefined : type;
  return names.some((name) => CLIENT_MEMBERS.has(name)) ? undefined : names[0];
}

function isClientTool(type: string): boolean {
  return type === 'function' || CLIENT_TOOLS.some((prefix) => type.startsWith(prefix));
}

function describe(kind: Kind, type: string, path: string, asked: JsonObject): HostWork {
  const { priceKey, boundedBy, growsContext } = kind;
  const maxUses = usesIn(asked, boundedBy) ?? kind.ownMaxUses;
  const model = textOf(asked.model);
  return {
    type,
    path,
    priceKey,
    maxUses,
    maxTurns: kind.ownMaxTurns ?? (maxUses === null ? null : maxUses + REFUSED_USE),
    growsContext,
    boundedBy: boundedBy === null ? null : `${path}.${boundedBy}`,
    ...(model !== undefined && { model }),
  };
}

function usesIn(asked: JsonObject, boundedBy: string | null): number | null {
  if (boundedBy === null) return null;
  let value: unknown = asked;
  for (const name of boundedBy.split('.')) value = members(value)[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Another model that answers where the first refuses, from the same prompt. */
function fallbackWork(fallback: unknown, position: number): HostWork {
  const model = textOf(fallback) ?? textOf(members(fallback).model);
  return {
    type: 'fallbacks',
    path: `fallbacks[${position}]`,
    priceKey: null,
    maxUses: 1,
    maxTurns: 1,
    growsContext: false,
    boundedBy: null,
    ...(model !== undefined && { model }),
  };
}

/** Edits of a conversation for which the host has it summarised, in a turn of its own. */
function compactions(management: unknown): readonly HostWork[] {
  return elements(members(management).edits).flatMap((edit, position) => {
    const type = textOf(members(edit).type) ?? '';
    const path = `context_management.edits[${position}]`;
    return type.startsWith('compact') ? [describe({ ...IN_LOOP, boundedBy: null }, type, path, {})] : [];
  });
}
