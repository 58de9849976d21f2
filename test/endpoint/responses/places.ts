/** Where Responses requests are answered: by every kind of provider, and by those that speak the format in both lanes. */
import { PLATFORMS, type Platform, type PlatformModel } from '../../support/platforms.js';

export interface Place {
  readonly platform: Platform;
  /** Also the model's name below the platform's slug. */
  readonly lane: 'native' | 'translated';
}

const SPEAKING: ReadonlySet<string> = new Set(['openai', 'azure']);

export const PLACES: readonly Place[] = PLATFORMS.flatMap((platform): Place[] => [
  { platform, lane: 'translated' },
  ...(SPEAKING.has(platform.adapter) ? [{ platform, lane: 'native' as const }] : []),
]);

/** The models that `PLACES` name. */
export function placesOf(): readonly PlatformModel[] {
  return [modelIn('translated', ['chat']), modelIn('native', ['responses'])];
}

function modelIn(name: Place['lane'], formats: readonly string[]): PlatformModel {
  return {
    name,
    endpoint: ({ adapter }) => (SPEAKING.has(adapter) ? { formats } : {}),
    upstreamId: ({ slug, family }) =>
      slug === 'bedrock-signed' ? `us.anthropic.claude-sonnet-4-6-${name}` : `${family}${slug}-${name}`,
    overrides: () => ({ context_length: 400_000 }),
  };
}
