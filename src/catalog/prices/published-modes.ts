/** Modes whose price their hosts publish: `docs/providers/prices.md#modes`, with sources and dates. */
import type { ModeWords } from '../modes.js';
import type { PriceMode, Pricing } from '../types.js';
import { perToken } from './corrections.js';
import { PLACED_CLAUDE, PLACED_CLAUDE_FACTOR, REGIONAL } from './geographies.js';

/** The entries of a mode where these are the prices of the base. */
type ModesOf = (pricing: Pricing) => readonly PriceMode[];

interface PublishedMode {
  readonly provider: string;
  /** Of ids in the catalogue. */
  readonly models: RegExp;
  readonly words: ModeWords;
  /** Whether it is for batches alone; then there are no words. */
  readonly isBatch: boolean;
  readonly modesOf: ModesOf;
}

const FLEX = { service_tier: 'flex' };
const PRIORITY = { service_tier: 'priority' };

const GEMINI = /^google\/gemini-(?:2\.5|3(?:\.[15])?)-(?:pro|flash)(?!.*-image)/;
const GEMINI_IMAGES = /^google\/gemini-(?:2\.5-flash|3-pro)-image/;

/** Gemini whose cached tokens cost the same under flex, at one host and the other. */
const FULL_CACHES_AI_STUDIO =
  /^google\/gemini-(?:2\.5-(?:flash|flash-lite|pro)|3-(?:flash|pro)-preview|3\.1-pro)(?!.*-image)/;
const FULL_CACHES_VERTEX = /^google\/gemini-2\.5-(?:flash|flash-lite|pro)(?!.*-image)/;

/** Open models and Nova. */
const BEDROCK = [
  /^amazon\/nova-(?:2-lite|pro)$/,
  /^deepseek\/deepseek-v3\.2$/,
  /^google\/gemma-3-/,
  /^(?:minimax|moonshotai|nvidia|openai|z-ai)\//,
  /^mistralai\/(?!pixtral)/,
  /^qwen\/(?!qwen3-coder-480b)/,
];

/** In the order in which they apply. */
const PUBLISHED: readonly PublishedMode[] = [
  inMode('anthropic', /^anthropic\/claude-opus-(?:4\.8|5|5\.5)$/, { speed: 'fast' }, times('2')),
  ...['anthropic', 'azure'].map((provider) =>
    inMode(
      provider,
      /^anthropic\/claude-(?:(?:opus|sonnet)-4\.[6-9]|[a-z]+-[5-9])/,
      { inference_geo: 'us' },
      times('1.1'),
    ),
  ),
  inMode('openai', /^openai\/(?:gpt-5(?!.*-(?:chat|codex))|o3$|o4-mini$)/, FLEX, times('0.5')),
  inMode('openai', /^openai\/gpt-4\.1-nano$/, PRIORITY, times('2')),
  inMode('openai', /^openai\/(?:gpt-4\.1(?:-mini)?|gpt-4o-2024-05-13|o3)$/, PRIORITY, times('1.75')),
  inMode('openai', /^openai\/gpt-4o(?:-2024-(?:08-06|11-20))?$/, PRIORITY, times('1.7')),
  inMode('openai', /^openai\/gpt-4o-mini$/, PRIORITY, at('0.25', '1', '0.125')),
  inMode('openai', /^openai\/gpt-5-mini$/, PRIORITY, times('1.8')),
  inMode('openai', /^openai\/gpt-5(?:\.[124]|\.4-mini)?$/, PRIORITY, times('2')),
  inMode('openai', /^openai\/gpt-5\.5$/, PRIORITY, times('2.5')),
  inMode('openai', /^openai\/o4-mini$/, PRIORITY, at('2', '8', '0.5')),
  inMode('azure', /^openai\/gpt-5\.(?:4(?:-mini|-nano)?|5)$/, FLEX, times('0.5')),
  inMode('azure', /^openai\/gpt-4\.1(?:-mini)?$/, PRIORITY, times('1.75')),
  inMode('azure', /^openai\/gpt-5-mini$/, PRIORITY, times('1.8')),
  inMode('azure', /^openai\/gpt-5(?:\.[124]|\.4-mini)?$/, PRIORITY, times('2')),
  inMode('azure', /^openai\/gpt-5\.5$/, PRIORITY, timesLong('2.5', '0.8')),
  ...['google-ai-studio', 'google-vertex'].flatMap((provider) => [
    inMode(provider, GEMINI, PRIORITY, times('1.8')),
    inMode(provider, GEMINI_IMAGES, PRIORITY, times('1.8')),
    inMode(provider, GEMINI_IMAGES, FLEX, times('0.5')),
  ]),
  inMode('google-ai-studio', FULL_CACHES_AI_STUDIO, FLEX, halfButCaches),
  inMode('google-vertex', FULL_CACHES_VERTEX, FLEX, halfButCaches),
  inMode('google-ai-studio', GEMINI, FLEX, times('0.5')),
  inMode('google-vertex', GEMINI, FLEX, times('0.5')),
  ...BEDROCK.flatMap((models) => [
    inMode('amazon-bedrock', models, FLEX, times('0.5')),
    inMode('amazon-bedrock', models, PRIORITY, times('1.75')),
  ]),
  inMode('fireworks', /^moonshotai\/kimi-k2\.6$/, PRIORITY, at('1.5', '6', '0.22')),
  inMode('fireworks', /^(?:minimax\/minimax-m3|moonshotai\/kimi-k2\.7-code)$/, PRIORITY, times('1.5')),
  inMode('fireworks', /^openai\/gpt-oss-120b$/, PRIORITY, times('1.2')),
  inMode('fireworks', /^z-ai\/glm-5\.2$/, PRIORITY, times('1.25')),
  inMode('groq', /./, FLEX, times(null)),
  inMode('google-vertex', PLACED_CLAUDE, { inference_geo: REGIONAL }, times(PLACED_CLAUDE_FACTOR)),
  inBatches('google-vertex', /^anthropic\/claude-/, times('0.5')),
  inBatches('google-vertex', /^google\/gemini-(?!.*-image)/, halfButCaches),
  inMode('xai', /^x-ai\/grok-/, PRIORITY, times('2')),
];

function inMode(provider: string, models: RegExp, words: ModeWords, of: Rates): PublishedMode {
  return row(provider, models, { words, isBatch: false }, of);
}

function inBatches(provider: string, models: RegExp, of: Rates): PublishedMode {
  return row(provider, models, { words: {}, isBatch: true }, of);
}

function row(
  provider: string,
  models: RegExp,
  condition: Pick<PriceMode, 'words' | 'isBatch'>,
  of: Rates,
): PublishedMode {
  const modesOf: ModesOf = (pricing) => of(pricing).map((one) => ({ ...BARE, ...condition, ...one }));
  return { provider, models, ...condition, modesOf };
}

type Rates = (pricing: Pricing) => readonly Partial<PriceMode>[];

const BARE = { minPromptTokens: null, multiplier: null, prices: {} };

function times(multiplier: string | null): Rates {
  return () => [{ multiplier }];
}

/** `long` multiplies once more where an override says that the prompt is long. */
function timesLong(multiplier: string, long: string): Rates {
  return ({ overrides }) => [
    { multiplier },
    ...overrides.flatMap(({ minPromptTokens }) =>
      minPromptTokens === null ? [] : [{ minPromptTokens, multiplier: long }],
    ),
  ];
}

/** USD per million tokens. */
function at(prompt: string, completion: string, cached: string): Rates {
  return () => [
    {
      prices: {
        prompt: perToken(prompt),
        completion: perToken(completion),
        input_cache_read: perToken(cached),
      },
    },
  ];
}

/** Half of everything, but that cached tokens cost what they cost, in long prompts too. */
function halfButCaches({ prices, overrides }: Pricing): readonly Partial<PriceMode>[] {
  const kept = (read: string | undefined, minPromptTokens: number | null) =>
    read === undefined ? [] : [{ minPromptTokens, prices: { input_cache_read: read } }];
  return [
    { multiplier: '0.5' },
    ...kept(prices.input_cache_read, null),
    ...overrides.flatMap((one) =>
      one.minPromptTokens === null ? [] : kept(one.prices.input_cache_read, one.minPromptTokens),
    ),
  ];
}

/** The list's modes, then those published of which it has none for the same. The first row counts. */
export function withPublishedModes(
  modelId: string,
  provider: string,
  listed: readonly PriceMode[],
  pricing: Pricing,
): readonly PriceMode[] {
  const rows = PUBLISHED.filter((row) => row.provider === provider && row.models.test(modelId));
  const others = rows.filter(
    (one, index) =>
      !listed.some((mode) => isSameMode(mode, one)) &&
      rows.findIndex((other) => isSameMode(other, one)) === index,
  );
  return others.length === 0 ? listed : [...listed, ...others.flatMap(({ modesOf }) => modesOf(pricing))];
}

type Condition = Pick<PriceMode, 'words' | 'isBatch'>;

/** Whether both are for batches, or have a word in common. */
function isSameMode(one: Condition, other: Condition): boolean {
  if (one.isBatch || other.isBatch) return one.isBatch === other.isBatch;
  return Object.entries(one.words).some(([kind, word]) => other.words[kind as keyof ModeWords] === word);
}
