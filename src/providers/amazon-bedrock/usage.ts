import type { UpstreamUsage } from '../../inference/attempts/adapter.js';
import { elements, isObject, members } from '../http/json.js';

/**
 * What a report of usage says; undefined when it is none. What is counted beside the input (cache reads and writes) is
 * part of the prompt here (interface section 5); a count that is not given is missing.
 */
export function usageOf(report: unknown): UpstreamUsage | undefined {
  if (!isObject(report)) return undefined;
  const input = countOf(report.inputTokens);
  const cached = countOf(report.cacheReadInputTokens);
  const written = countOf(report.cacheWriteInputTokens);
  const kept1h = countOf(members(elements(report.cacheDetails).find(isHour)).inputTokens);
  const completion = countOf(report.outputTokens);
  return {
    ...(input !== undefined && { promptTokens: input + (cached ?? 0) + (written ?? 0) }),
    ...(cached !== undefined && { cachedTokens: cached }),
    ...(written !== undefined && { cacheWriteTokens: written }),
    ...(kept1h !== undefined && { cacheWrite1hTokens: kept1h }),
    ...(completion !== undefined && { completionTokens: completion }),
  };
}

function isHour(detail: unknown): boolean {
  return members(detail).ttl === '1h';
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
