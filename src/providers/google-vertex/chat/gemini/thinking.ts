/** Decides `thinkingConfig`: a level from the third generation on, tokens before. */
import type { JsonObject } from '../../../../formats/chat/types.js';
import type { Effort, Reasoning } from '../../../../inference/reasoning/reasoning.js';
import { generationOf } from '../../host/publisher.js';

const FIRST_WITH_LEVELS = 3;

/** undefined leaves it to the provider. Thoughts are requested whenever reasoning is enabled. */
export function thinkingConfigOf(model: string, reasoning: Reasoning | null): JsonObject | undefined {
  if (reasoning === null) return undefined;
  const hasLevels = (generationOf(model) ?? 0) >= FIRST_WITH_LEVELS;
  if (!reasoning.isEnabled)
    return hasLevels ? { thinkingLevel: minLevel(model) } : { thinkingBudget: minBudget(model) };
  return { includeThoughts: true, ...(hasLevels ? levelOf(model, reasoning) : budgetOf(model, reasoning)) };
}

const LEVELS: Readonly<Record<Effort, string>> = {
  max: 'HIGH',
  xhigh: 'HIGH',
  high: 'HIGH',
  medium: 'MEDIUM',
  low: 'LOW',
  minimal: 'MINIMAL',
};

/** Newer models take levels. A limit in tokens without an effort is sent as a budget, which they still accept. */
function levelOf(model: string, { effort, maxTokens }: Reasoning): JsonObject {
  if (effort !== null) return { thinkingLevel: effort === 'minimal' ? minLevel(model) : LEVELS[effort] };
  return maxTokens === null ? {} : { thinkingBudget: maxTokens };
}

/** These models can't stop thinking; the large ones do not have `MINIMAL`. */
function minLevel(model: string): string {
  return model.includes('pro') ? LEVELS.low : LEVELS.minimal;
}

/** Google's own conversion of efforts to tokens. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  max: Number.POSITIVE_INFINITY,
  xhigh: Number.POSITIVE_INFINITY,
  high: 24_576,
  medium: 8_192,
  low: 1_024,
  minimal: 512,
};

/** Lets the model decide. */
const DYNAMIC_BUDGET = -1;

function budgetOf(model: string, { effort, maxTokens }: Reasoning): JsonObject {
  const wanted = maxTokens ?? (effort === null ? undefined : BUDGETS[effort]);
  if (wanted !== undefined) {
    const { min, max } = rangeOf(model);
    return { thinkingBudget: Math.min(Math.max(wanted, min), max) };
  }
  return thinksOnlyOnRequest(model) ? { thinkingBudget: DYNAMIC_BUDGET } : {};
}

/** The large models always think a little. For others 0 turns thinking off. */
function minBudget(model: string): number {
  return model.includes('pro') ? rangeOf(model).min : 0;
}

function rangeOf(model: string): { readonly min: number; readonly max: number } {
  if (model.includes('pro')) return { min: 128, max: 32_768 };
  return { min: thinksOnlyOnRequest(model) ? 512 : 1, max: 24_576 };
}

function thinksOnlyOnRequest(model: string): boolean {
  return model.includes('flash-lite');
}
