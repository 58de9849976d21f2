/** What a model of Anthropic's takes, told from its name: what it refuses otherwise is no use to ask for. */

/** How a model differs from the others. */
export interface ModelTraits {
  /** `budget`: thinking is given tokens; `adaptive`: the model decides by an effort; `none`: it can't think. */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  /** Whether thinking may be given tokens, also where an effort would do. */
  readonly takesBudget: boolean;
  /** Whether thinking is on unless it is switched off. */
  readonly thinksUnasked: boolean;
  /** Whether thinking can be switched off. */
  readonly canStopThinking: boolean;
  /** Whether the text of its thoughts has to be asked for. */
  readonly hidesThoughts: boolean;
  /** Whether the efforts include `xhigh`. */
  readonly hasExtraHigh: boolean;
  /** Whether temperature, top_p and top_k may be said. */
  readonly takesSampling: boolean;
  /** Whether temperature and top_p may both be said. */
  readonly takesBothSamplings: boolean;
  /** Whether answers and tool calls can be held to a schema. */
  readonly takesSchemas: boolean;
}

/** The traits of the model with this id of the provider's, wherever it is served. */
export function traitsOf(modelId: string): ModelTraits {
  const generation = generationOf(modelId);
  return {
    thinking: thinkingOf(generation),
    takesBudget: generation < 407,
    thinksUnasked: generation >= 500,
    canStopThinking: generation < 500 || !isAlwaysThinking(modelId, generation),
    hidesThoughts: generation >= 407,
    hasExtraHigh: generation >= 407,
    takesSampling: generation < 407,
    takesBothSamplings: generation < 401,
    takesSchemas: generation >= 405,
  };
}

/** `claude-3-7-sonnet-20250219`, `claude-sonnet-4-5@20250929`, `eu.anthropic.claude-opus-4-6-v1:0`. */
const GENERATION = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;

/** Hundreds for the first number, ones for the second; a Claude without numbers is a new one, others are like old ones. */
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
