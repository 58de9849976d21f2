import type { Pricing } from '../../catalog/types.js';
import { CHARACTERS_PER_TOKEN } from './prompt-tokens.js';

/** The output of an answer. */
interface Came {
  /** Characters of text and thoughts. */
  readonly characters: number;
  readonly images: number;
}

/**
 * Tokens of the images in an answer whose host does not count them separately: those that are neither text nor
 * reasoning. Without a visible image each character may be a token. 0 if image tokens have no price of their own.
 */
export function imageTokensIn(
  { characters, images }: Came,
  { prices }: Pick<Pricing, 'prices'>,
  completionTokens: number,
  reasoningTokens: number,
): number {
  if (prices.image_output_token === undefined) return 0;
  const text = images === 0 ? characters : Math.ceil(characters / CHARACTERS_PER_TOKEN);
  return Math.max(0, completionTokens - Math.max(text, reasoningTokens));
}
