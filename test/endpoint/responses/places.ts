/** Where Responses requests are answered: by every kind of provider, and by those that speak the format in both lanes. */
import { signatureOf } from '../../support/fakes/fake-anthropic/answer.js';
import { PLATFORMS, type Platform, type PlatformModel } from '../../support/platforms.js';
import { THOUGHT, wireFormatOf } from '../platforms/wire-formats.js';

export interface Place {
  readonly platform: Platform;
  /** Also the model's name below the platform's slug. */
  readonly lane: 'native' | 'translated';
}

/** OpenAI's models, there and at Azure. */
export function speaksResponses({ family }: Platform): boolean {
  return family.startsWith('gpt-');
}

export const PLACES: readonly Place[] = PLATFORMS.flatMap((platform): Place[] => [
  { platform, lane: 'translated' },
  ...(speaksResponses(platform) ? [{ platform, lane: 'native' as const }] : []),
]);

/** What is asked for an answer in a schema, and for one that is thought about. */
export const IN_SCHEMA = 'Answer in the schema';
export const THINKING = 'Think about it first';

/** What a client's tool says. */
export const RESULT = 'Rain';

/** The models that `PLACES` name: they answer in a schema where they are asked to, and think before they call a tool twice. */
export function placesOf(): readonly PlatformModel[] {
  return [modelIn('translated', ['chat']), modelIn('native', ['responses'])];
}

/** Those that think, where a model's name says so. */
const THINKERS: Readonly<Record<string, string>> = {
  anthropic: 'claude-sonnet-4-6',
  'bedrock-key': 'anthropic.claude-sonnet-4-5-20250929-v1:0',
  'bedrock-signed': 'us.anthropic.claude-sonnet-4-6',
  'vertex-claude': 'claude-sonnet-4-6@20260101',
  'vertex-gemini': 'gemini-3-flash-preview',
};

function modelIn(name: Place['lane'], formats: readonly string[]): PlatformModel {
  return {
    name,
    endpoint: (platform) => (speaksResponses(platform) ? { formats } : {}),
    upstreamId: ({ slug, family }) =>
      name === 'native' ? `gpt-5.1-${slug}` : (THINKERS[slug] ?? `${family}${slug}`),
    overrides: () => ({
      context_length: 400_000,
      reasoning: { mandatory: false, supports_max_tokens: false },
    }),
    plan: (platform) => (body: object) => {
      const asked = JSON.stringify(body);
      if (asked.includes(IN_SCHEMA)) return { words: ['{"answer":', ' "42"}'] };
      return asked.includes(THINKING) && !asked.includes(RESULT) ? wireFormatOf(platform).calling : {};
    },
  };
}

/** What of its thoughts a provider has to be sent back; empty where it wants none. */
export function proofOf({ platform: { slug, fake }, lane }: Place): string {
  if (lane === 'native') return 'gAAAfake==';
  if (slug === 'vertex-gemini') return 'CvcQAePx=';
  return fake === 'openai' || fake === 'azure' || slug === 'vertex-open' ? '' : signatureOf(THOUGHT);
}
