import type { JsonObject } from '../../formats/chat/types.js';
import type { UpstreamUsage } from '../../inference/attempts/adapter.js';
import { isObject, members } from '../http/json.js';

/**
 * Counts along with one answer: each report is a snapshot whose nulls say nothing. What the API counts beside the input
 * (cache reads and writes) is part of the prompt here (interface section 5).
 */
export class UsageCounter {
  #latest: JsonObject = {};

  /** Takes a report in. */
  take(usage: unknown): void {
    this.#latest = merged(this.#latest, members(usage));
  }

  /** All that is known; a count that was never given is missing. */
  get usage(): UpstreamUsage {
    return { ...this.input, ...this.#output };
  }

  /** What is known of the prompt alone: at its beginning a stream says nothing true of its output. */
  get input(): UpstreamUsage {
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, cache_creation } =
      this.#latest;
    const { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens } = members(cache_creation);
    const cached = countOf(cache_read_input_tokens);
    const kept1h = countOf(ephemeral_1h_input_tokens);
    const written = countOf(cache_creation_input_tokens) ?? sum(countOf(ephemeral_5m_input_tokens), kept1h);
    const input = countOf(input_tokens);
    return {
      ...(input !== undefined && { promptTokens: input + (cached ?? 0) + (written ?? 0) }),
      ...(cached !== undefined && { cachedTokens: cached }),
      ...(written !== undefined && { cacheWriteTokens: written }),
      ...(kept1h !== undefined && { cacheWrite1hTokens: kept1h }),
    };
  }

  get #output(): UpstreamUsage {
    const { output_tokens, output_tokens_details, server_tool_use } = this.#latest;
    const completion = countOf(output_tokens);
    const thinking = countOf(members(output_tokens_details).thinking_tokens);
    const searches = countOf(members(server_tool_use).web_search_requests);
    return {
      ...(completion !== undefined && { completionTokens: completion }),
      ...(thinking !== undefined && { reasoningTokens: thinking }),
      ...(searches !== undefined && { webSearches: searches }),
    };
  }
}

function merged(before: JsonObject, report: JsonObject): JsonObject {
  const changes = Object.entries(report).flatMap(([name, value]) => {
    if (value === null) return [];
    const known = before[name];
    return [[name, isObject(value) && isObject(known) ? merged(known, value) : value] as const];
  });
  return { ...before, ...Object.fromEntries(changes) };
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
