/** Which parameters a model of Anthropic's accepts, judged by its name. It refuses others. */

export interface ModelTraits {
  /** Whether the name tells the generation; the other traits are a guess where it does not. */
  readonly isNumbered: boolean;
  /**
   * `budget`: it accepts a token budget; `adaptive`: the model decides, guided by an effort; `none`: it can't think.
   */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  /** Whether it accepts a token budget, even if it is adaptive. */
  readonly takesBudget: boolean;
  readonly thinksByDefault: boolean;
  readonly canStopThinking: boolean;
  /** Whether the text of its thoughts must be requested. */
  readonly hidesThoughts: boolean;
  /** Whether its efforts include `xhigh`. */
  readonly hasExtraHigh: boolean;
  /** Whether it accepts an effort, which also controls how much it writes. */
  readonly takesEffort: boolean;
  /** Whether it accepts temperature, top_p and top_k. */
  readonly takesSampling: boolean;
  /** Whether it accepts temperature and top_p together. */
  readonly takesBothSamplings: boolean;
  /** Whether it continues a last message of the assistant's. */
  readonly takesPrefill: boolean;
  /** Whether it takes JSON schemas for answers and strict tools. */
  readonly takesSchemas: boolean;
  /** Whether it takes messages of the system amid a conversation. */
  readonly takesSystemTurns: boolean;
}

/** The traits of a model by its id, at any provider. */
export function traitsOf(modelId: string): ModelTraits {
  const generation = generationOf(modelId);
  return {
    isNumbered: Number.isFinite(generation) && generation > 0,
    thinking: thinkingOf(generation),
    takesBudget: generation < 407,
    thinksByDefault: generation >= 500,
    canStopThinking: generation < 500 || !isAlwaysThinking(modelId, generation),
    hidesThoughts: generation >= 407,
    hasExtraHigh: generation >= 407,
    takesEffort: generation >= 406 || (generation === 405 && modelId.includes('opus')),
    takesSampling: generation < 407,
    takesBothSamplings: generation < 401,
    takesPrefill: generation < 406,
    takesSchemas: generation >= 405,
    takesSystemTurns: generation >= 500 || (generation >= 408 && modelId.includes('opus')),
  };
}

/** `claude-3-7-sonnet-20250219`, `claude-sonnet-4-5@20250929`, `eu.anthropic.claude-opus-4-6-v1:0`. */
const GENERATION = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;

/** 405 for 4.5. A Claude without a number counts as new, other models count as old. */
function generationOf(modelId: string): number {
  const [, major, minor] = GENERATION.exec(modelId) ?? [];
  if (major !== undefined) return Number(major) * 100 + Number(minor ?? 0);
  return modelId.includes('claude') ? Infinity : 0;
}

function thinkingOf(generation: number): ModelTraits['thinking'] {
  if (generation >= 406) return 'adaptive';
  return generation >= 307 || generation === 0 ? 'budget' : 'none';
}

function isAlwaysThinking(modelId: string, generation: number): boolean {
  if (/claude-(?:fable|mythos)/.test(modelId)) return true;
  return generation >= 505 && !modelId.includes('claude-haiku');
}
