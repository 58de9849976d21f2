/** Where Responses requests are answered: by every kind of provider, and by those that speak the format in both lanes. */
import { PLATFORMS, type Platform, type PlatformModel } from '../../support/platforms.js';

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

/** The models that `PLACES` name. */
export function placesOf(): readonly PlatformModel[] {
  return [modelIn('translated', ['chat']), modelIn('native', ['responses'])];
}

function modelIn(name: Place['lane'], formats: readonly string[]): PlatformModel {
  return {
    name,
    endpoint: (platform) => (speaksResponses(platform) ? { formats } : {}),
    upstreamId: ({ slug, family }) =>
      slug === 'bedrock-signed' ? `us.anthropic.claude-sonnet-4-6-${name}` : `${family}${slug}-${name}`,
    overrides: () => ({ context_length: 400_000 }),
  };
}
