import { elements, isObject, members } from '../../../formats/json.js';
import type { UpstreamUsage } from '../../../inference/ports/adapter.js';
import { countOf } from '../../common/counts.js';

/**
 * undefined if no usage is reported. Bedrock does not include tokens read from and written to a cache in the input
 * tokens; here they are part of the prompt: `docs/money.md#usage-in-an-answer`. Counts that are not reported are
 * undefined.
 */
export function usageOf(report: unknown): UpstreamUsage | undefined {
  if (!isObject(report)) return undefined;
  const input = countOf(report.inputTokens);
  const cached = countOf(report.cacheReadInputTokens);
  const written = countOf(report.cacheWriteInputTokens);
  const written1h = countOf(members(elements(report.cacheDetails).find(isHour)).inputTokens);
  const completion = countOf(report.outputTokens);
  return {
    ...(input !== undefined && { promptTokens: input + (cached ?? 0) + (written ?? 0) }),
    ...(cached !== undefined && { cachedTokens: cached }),
    ...(written !== undefined && { cacheWriteTokens: written }),
    ...(written1h !== undefined && { cacheWrite1hTokens: written1h }),
    ...(completion !== undefined && { completionTokens: completion }),
  };
}

function isHour(detail: unknown): boolean {
  return members(detail).ttl === '1h';
}
