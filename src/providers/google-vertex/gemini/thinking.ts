/** How a Gemini model is to think: in levels from the third generation on, in tokens before. */
import type { JsonObject } from '../../../formats/chat/types.js';
import type { Effort, Reasoning } from '../../../inference/reasoning/reasoning.js';
import { generationOf } from './generation.js';

const FIRST_WITH_LEVELS = 3;

/** `thinkingConfig`; undefined leaves it to the provider. Thoughts are shown whenever there are to be any. */
export function thinkingConfigOf(model: string, reasoning: Reasoning | null): JsonObject | undefined {
  if (reasoning === null) return undefined;
  const hasLevels = (generationOf(model) ?? 0) >= FIRST_WITH_LEVELS;
  if (!reasoning.isEnabled)
    return hasLevels ? { thinkingLevel: leastLevel(model) } : { thinkingBudget: leastBudget(model) };
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

/** Levels are the newer models' own measure; a bound alone they still take in tokens. */
function levelOf(model: string, { effort, maxTokens }: Reasoning): JsonObject {
  if (effort !== null) return { thinkingLevel: effort === 'minimal' ? leastLevel(model) : LEVELS[effort] };
  return maxTokens === null ? {} : { thinkingBudget: maxTokens };
}

/** These models cannot do without thinking at all; the large ones know no `MINIMAL`. */
function leastLevel(model: string): string {
  return model.includes('pro') ? LEVELS.low : LEVELS.minimal;
}

/** What Google's own translation of efforts makes of them, in tokens. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  max: Number.POSITIVE_INFINITY,
  xhigh: Number.POSITIVE_INFINITY,
  high: 24_576,
  medium: 8_192,
  low: 1_024,
  minimal: 512,
};

/** The model finds out by itself how much to think. */
const DYNAMIC_BUDGET = -1;

function budgetOf(model: string, { effort, maxTokens }: Reasoning): JsonObject {
  const wanted = maxTokens ?? (effort === null ? undefined : BUDGETS[effort]);
  if (wanted !== undefined) {
    const { least, most } = rangeOf(model);
    return { thinkingBudget: Math.min(Math.max(wanted, least), most) };
  }
  return thinksOnlyWhenAsked(model) ? { thinkingBudget: DYNAMIC_BUDGET } : {};
}

/** The large models think at least a little; the others can be kept from it. */
function leastBudget(model: string): number {
  return model.includes('pro') ? rangeOf(model).least : 0;
}

function rangeOf(model: string): { readonly least: number; readonly most: number } {
  if (model.includes('pro')) return { least: 128, most: 32_768 };
  return { least: thinksOnlyWhenAsked(model) ? 512 : 1, most: 24_576 };
}

function thinksOnlyWhenAsked(model: string): boolean {
  return model.includes('flash-lite');
}
