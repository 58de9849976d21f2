import type { CachedTokens, UsageCount } from '../../../catalog/quirks.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import type { UpstreamUsage } from '../../../inference/ports/adapter.js';
import { countOf } from '../../common/counts.js';
import { ANY_HOST, type AnswerRules } from './answer-rules.js';

type Counts = { -readonly [K in keyof UpstreamUsage]: UpstreamUsage[K] };

/**
 * The usage of an answer or a chunk. Groq has it in a member of its own, Moonshot in the choice of a stream's last
 * chunk.
 */
export function usageOf(
  { usage, x_groq, choices }: JsonObject,
  rules: Pick<AnswerRules, 'usage' | 'cachedTokens'> = ANY_HOST,
): UpstreamUsage | undefined {
  if (isObject(usage)) return readUsage(usage, rules);
  const elsewhere = members(x_groq).usage ?? members(elements(choices)[0]).usage;
  return isObject(elsewhere) ? readUsage(elsewhere, rules) : undefined;
}

/** The paths of each count at various hosts: docs/providers/openai-compatible.md. The first number counts. */
const NAMES: readonly (readonly [count: keyof Counts, paths: readonly (readonly string[])[]])[] = [
  ['promptTokens', [['prompt_tokens'], ['input_tokens']]],
  [
    'cachedTokens',
    [
      ['prompt_tokens_details', 'cached_tokens'],
      ['cached_tokens'],
      ['prompt_cache_hit_tokens'],
      ['input_tokens_details', 'cached_tokens'],
      ['cache_read_input_tokens'],
    ],
  ],
  [
    'cacheWriteTokens',
    [
      ['prompt_tokens_details', 'cache_write_tokens'],
      ['input_tokens_details', 'cache_write_tokens'],
      ['prompt_tokens_details', 'cache_creation_input_tokens'],
      ['cache_creation_input_tokens'],
    ],
  ],
  [
    'cacheWrite1hTokens',
    [
      ['prompt_tokens_details', 'cache_creation_token_details', 'ephemeral_1h_input_tokens'],
      ['cache_creation', 'ephemeral_1h_input_tokens'],
    ],
  ],
  [
    'audioTokens',
    [
      ['prompt_tokens_details', 'audio_tokens'],
      ['input_tokens_details', 'audio_tokens'],
    ],
  ],
  [
    'imageTokens',
    [
      ['prompt_tokens_details', 'image_tokens'],
      ['input_tokens_details', 'image_tokens'],
    ],
  ],
  ['completionTokens', [['completion_tokens'], ['output_tokens']]],
  [
    'reasoningTokens',
    [
      ['completion_tokens_details', 'reasoning_tokens'],
      ['output_tokens_details', 'reasoning_tokens'],
      ['reasoning_tokens'],
    ],
  ],
  [
    'completionAudioTokens',
    [
      ['completion_tokens_details', 'audio_tokens'],
      ['output_tokens_details', 'audio_tokens'],
    ],
  ],
  [
    'imageOutputTokens',
    [
      ['completion_tokens_details', 'image_tokens'],
      ['output_tokens_details', 'image_tokens'],
    ],
  ],
  ['webSearches', [['server_tool_use', 'web_search_requests'], ['num_search_queries']]],
];

/** The catalogue's names of the counts. */
const COUNTS: Readonly<Partial<Record<keyof Counts, UsageCount>>> = {
  promptTokens: 'prompt_tokens',
  completionTokens: 'completion_tokens',
  cachedTokens: 'cached_tokens',
  cacheWriteTokens: 'cache_write_tokens',
  reasoningTokens: 'reasoning_tokens',
  webSearches: 'web_searches',
};

/** Gateways in front of Claude fill in a 0 in OpenAI's words beside these: https://github.com/BerriAI/litellm/issues/11789. */
const IN_CLAUDES_WORDS: Readonly<Partial<Record<keyof Counts, string>>> = {
  cachedTokens: 'cache_read_input_tokens',
  cacheWriteTokens: 'cache_creation_input_tokens',
};

/** Missing counts and nulls are undefined. */
function readUsage(
  usage: JsonObject,
  { usage: ownPaths, cachedTokens }: Pick<AnswerRules, 'usage' | 'cachedTokens'>,
): UpstreamUsage {
  const counts: Counts = {};
  for (const [count, paths] of NAMES) {
    const name = COUNTS[count];
    const own = name && ownPaths[name];
    const value = firstNumber(usage, own === undefined ? paths : [own.split('.'), ...paths]);
    if (value !== undefined) counts[count] = value;
    const inClaudesWord = own === undefined && value === 0 ? IN_CLAUDES_WORDS[count] : undefined;
    if (inClaudesWord !== undefined) counts[count] = countOf(usage[inClaudesWord]) || 0;
  }
  countSearches(counts, usage);
  putCachedInside(counts, usage.total_tokens, cachedTokens);
  return isResearch(usage)
    ? withResearchInside(counts, usage)
    : withReasoningInside(counts, usage.total_tokens);
}

/**
 * Some hosts count what was read from and written to a cache beside the prompt, as Anthropic does, which their total or a
 * prompt of fewer tokens shows; some only what was written. Here it is part of the prompt, so that it never exceeds it.
 */
function putCachedInside(counts: Counts, total: unknown, rule: CachedTokens | undefined): void {
  const { promptTokens, cachedTokens: read = 0, cacheWriteTokens: written = 0 } = counts;
  if (promptTokens === undefined || read + written === 0) return;
  const all = promptTokens + read + written;
  if (rule === 'inside') counts.promptTokens = Math.max(promptTokens, read + written);
  else if (rule === 'beside' || read > promptTokens || isTotal(total, all, counts)) counts.promptTokens = all;
  else if (read + written > promptTokens) counts.promptTokens = promptTokens + written;
}

/** Whether the total is that of this prompt, and not made by as many tokens of reasoning beside the completion. */
function isTotal(total: unknown, all: number, counts: Counts): boolean {
  const { promptTokens = 0, completionTokens, reasoningTokens = 0 } = counts;
  if (completionTokens === undefined || all - promptTokens === reasoningTokens) return false;
  return total === all + completionTokens;
}

/** NaN where none of the numbers is a count. */
function firstNumber(usage: JsonObject, paths: readonly (readonly string[])[]): number | undefined {
  let none: number | undefined;
  for (const path of paths) {
    let value: unknown = usage;
    for (const name of path) value = members(value)[name];
    const count = countOf(value);
    if (count !== undefined && !Number.isNaN(count)) return count;
    none ??= count;
  }
  return none;
}

/** xAI counts each kind of search separately. Perplexity bills one, by the size of its context, if it counts none. */
function countSearches(counts: Counts, usage: JsonObject): void {
  const { web_search_calls, x_search_calls } = members(usage.server_side_tool_usage_details);
  const [web, x] = [countOf(web_search_calls), countOf(x_search_calls)];
  if (web !== undefined || x !== undefined) counts.webSearches ??= (web ?? 0) + (x ?? 0);
  const size = textOf(usage.search_context_size);
  if (size === undefined) return;
  counts.webSearches ??= 1;
  if (size === 'medium') counts.mediumSearches = counts.webSearches;
  if (size === 'high') counts.highSearches = counts.webSearches;
}

/** Whether it is the usage of Perplexity's research model, the only one with all of these counts. */
function isResearch({ citation_tokens, num_search_queries, reasoning_tokens }: JsonObject): boolean {
  return [citation_tokens, num_search_queries, reasoning_tokens].every((count) => typeof count === 'number');
}

/**
 * The research model counts and bills what it read in addition to the prompt, and its thoughts in addition to the
 * completion.
 */
function withResearchInside(
  counts: Counts,
  { citation_tokens, reasoning_tokens }: JsonObject,
): UpstreamUsage {
  const { promptTokens, completionTokens } = counts;
  if (promptTokens === undefined || completionTokens === undefined) return counts;
  const reasoningTokens = countOf(reasoning_tokens) ?? 0;
  return {
    ...counts,
    promptTokens: promptTokens + (countOf(citation_tokens) ?? 0),
    completionTokens: completionTokens + reasoningTokens,
    reasoningTokens,
  };
}

/** Some providers count reasoning in addition to the completion, which only the total shows. Here it is part of it. */
function withReasoningInside(counts: Counts, total: unknown): UpstreamUsage {
  const { promptTokens, completionTokens, reasoningTokens } = counts;
  if (promptTokens === undefined || completionTokens === undefined || !reasoningTokens) return counts;
  const isBeside = total === promptTokens + completionTokens + reasoningTokens;
  return isBeside ? { ...counts, completionTokens: completionTokens + reasoningTokens } : counts;
}
