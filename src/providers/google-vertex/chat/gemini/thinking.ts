/** Decides `thinkingConfig`: a level from the third generation on, tokens before. */
import type { JsonObject } from '../../../../formats/chat/types.js';
import type { Effort, Reasoning } from '../../../../inference/reasoning/reasoning.js';
import { generationOf } from '../../host/publisher.js';

const FIRST_WITH_LEVELS = 3;
const FIRST_THAT_THINKS = 2.5;

/** undefined leaves it to the provider. Thoughts are requested whenever reasoning is enabled. */
export function thinkingConfigOf(model: string, reasoning: Reasoning | null): JsonObject | undefined {
  if (reasoning === null || !thinks(model)) return undefined;
  const hasLevels = (generationOf(model) ?? 0) >= FIRST_WITH_LEVELS;
  if (!reasoning.isEnabled)
    return hasLevels
      ? { thinkingLevel: nearestLevel(model, 'MINIMAL') }
      : { thinkingBudget: minBudget(model) };
  return { includeThoughts: true, ...(hasLevels ? levelOf(model, reasoning) : budgetOf(model, reasoning)) };
}

/** Older models, and those of 2.5 that paint, refuse to hear of thinking. */
function thinks(model: string): boolean {
  const generation = generationOf(model) ?? FIRST_THAT_THINKS;
  return generation >= FIRST_WITH_LEVELS || (generation >= FIRST_THAT_THINKS && !model.includes('image'));
}

/** From the least to the most. */
const LEVELS = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] as const;
type Level = (typeof LEVELS)[number];

const LEVELS_BY_EFFORT: Readonly<Record<Effort, Level>> = {
  max: 'HIGH',
  xhigh: 'HIGH',
  high: 'HIGH',
  medium: 'MEDIUM',
  low: 'LOW',
  minimal: 'MINIMAL',
};

/** Newer models take levels. A limit in tokens without an effort is sent as a budget, which they still accept. */
function levelOf(model: string, { effort, maxTokens }: Reasoning): JsonObject {
  if (effort !== null) return { thinkingLevel: nearestLevel(model, LEVELS_BY_EFFORT[effort]) };
  return maxTokens === null ? {} : { thinkingBudget: inRange(model, maxTokens) };
}

/** The level, or the next one above that the model has. These models can't stop thinking. */
function nearestLevel(model: string, level: Level): Level {
  const missing = missingLevels(model);
  return LEVELS.slice(LEVELS.indexOf(level)).find((one) => !missing.includes(one)) ?? 'HIGH';
}

const FIRST_FLASH_WITHOUT_MINIMAL = 3.7;

/** https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking, as of 2026-11-26 */
function missingLevels(model: string): readonly Level[] {
  const generation = generationOf(model) ?? 0;
  if (model.includes('pro')) return generation === FIRST_WITH_LEVELS ? ['MINIMAL', 'MEDIUM'] : ['MINIMAL'];
  if (model.includes('image')) return ['LOW', 'MEDIUM'];
  return generation >= FIRST_FLASH_WITHOUT_MINIMAL ? ['MINIMAL'] : [];
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
  if (wanted !== undefined) return { thinkingBudget: inRange(model, wanted) };
  return thinksOnlyOnRequest(model) ? { thinkingBudget: DYNAMIC_BUDGET } : {};
}

function inRange(model: string, wanted: number): number {
  const { min, max } = rangeOf(model);
  return Math.min(Math.max(wanted, min), max);
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
