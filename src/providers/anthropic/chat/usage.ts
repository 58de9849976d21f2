import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../formats/json.js';
import type { UpstreamUsage } from '../../../inference/ports/adapter.js';
import { checkCount, MAX_MEMBERS } from '../../common/answer-bounds.js';
import { countOf } from '../../common/counts.js';

type Counts = { -readonly [Count in keyof UpstreamUsage]: UpstreamUsage[Count] };

/**
 * Collects the usage of one answer. Each report is a snapshot, whose nulls are skipped. The API does not include tokens
 * read from and written to a cache in the input tokens; here they are part of the prompt:
 * `docs/money.md#usage-in-an-answer`.
 */
export class UsageCounter {
  #latest: JsonObject = {};

  /** Throws `UpstreamFailure` `malformed` for too many counts. */
  take(usage: unknown): void {
    checkCount(Object.keys(members(usage)).length, MAX_MEMBERS);
    this.#latest = merged(this.#latest, members(usage));
    checkCount(Object.keys(this.#latest).length, MAX_MEMBERS);
    checkCount(elements(this.#latest.iterations).length, MAX_ITERATIONS);
  }

  /** The report at the start of a stream, whose output counts are not the answer's. Throws as `take` does. */
  begin(usage: unknown): void {
    const { output_tokens, output_tokens_details, ...others } = members(usage);
    this.take(others);
  }

  /** All known counts. Those that were never reported are missing. */
  get usage(): UpstreamUsage {
    return Object.assign(this.input, this.#output);
  }

  /** Only the prompt's counts, which the start of a stream reports. */
  get input(): UpstreamUsage {
    return plus(inputIn(this.#latest), this.#beside.map(inputIn));
  }

  get #output(): UpstreamUsage {
    return plus(outputIn(this.#latest), this.#beside.map(outputIn));
  }

  /** Counts of samplings that are billed and are not in those of the whole. */
  get #beside(): JsonObject[] {
    return elements(this.#latest.iterations)
      .map(members)
      .filter(({ type }) => BESIDE.has(type));
  }
}

/**
 * Of a compaction the counts of the whole say nothing (https://platform.claude.com/docs/en/build-with-claude/compaction, 2026-11-27),
 * nor of what an advisor has read and said (https://github.com/ccusage/ccusage/issues/1115, 2026-11-27).
 */
const BESIDE: ReadonlySet<unknown> = new Set(['compaction', 'advisor_message']);

/** Far more than a request may take. */
const MAX_ITERATIONS = 1_000;

function inputIn(usage: JsonObject): UpstreamUsage {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, cache_creation } = usage;
  const { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens } = members(cache_creation);
  const cached = countOf(cache_read_input_tokens);
  const written1h = countOf(ephemeral_1h_input_tokens);
  const written = countOf(cache_creation_input_tokens) ?? sum(countOf(ephemeral_5m_input_tokens), written1h);
  const input = countOf(input_tokens);
  const counts: Counts = {};
  if (input !== undefined) counts.promptTokens = input + (cached ?? 0) + (written ?? 0);
  if (cached !== undefined) counts.cachedTokens = cached;
  if (written !== undefined) counts.cacheWriteTokens = written;
  if (written1h !== undefined) counts.cacheWrite1hTokens = written1h;
  return counts;
}

function outputIn({ output_tokens, output_tokens_details, server_tool_use }: JsonObject): UpstreamUsage {
  const completion = countOf(output_tokens);
  const thinking = countOf(members(output_tokens_details).thinking_tokens);
  const searches = countOf(members(server_tool_use).web_search_requests);
  const counts: Counts = {};
  if (completion !== undefined) counts.completionTokens = completion;
  if (thinking !== undefined) counts.reasoningTokens = thinking;
  if (searches !== undefined) counts.webSearches = searches;
  return counts;
}

/** A prompt or a completion that is not known yet is not known by what stands beside it. */
function plus(whole: UpstreamUsage, parts: readonly UpstreamUsage[]): UpstreamUsage {
  if (parts.length === 0) return whole;
  const counts: Counts = { ...whole };
  for (const part of parts)
    for (const [name, count] of Object.entries(part) as [keyof Counts, number][])
      if (whole[name] !== undefined || !WHOLES.has(name)) counts[name] = (counts[name] ?? 0) + count;
  return counts;
}

const WHOLES: ReadonlySet<keyof Counts> = new Set(['promptTokens', 'completionTokens']);

function merged(before: JsonObject, report: JsonObject): JsonObject {
  const changes = Object.entries(report).flatMap(([name, value]) => {
    if (value === null) return [];
    const known = before[name];
    return [[name, isObject(value) && isObject(known) ? merged(known, value) : value] as const];
  });
  return { ...before, ...Object.fromEntries(changes) };
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
