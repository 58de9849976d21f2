import { type BareKey, parseBareKey } from './bare-key.js';
import type { Parsed } from './members.js';

/** The key of the Anthropic Messages API. */
export type AnthropicCredential = BareKey<'anthropic'>;

/** Reads the credential of the Anthropic Messages API: a bare API key. */
export function parseAnthropic(text: string): Parsed<AnthropicCredential> {
  return parseBareKey('anthropic', text);
}
