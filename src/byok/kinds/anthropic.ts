import { type BareKey, parseBareKey } from './bare-key.js';
import type { Parsed } from './json-reader.js';

/** The key of the Anthropic Messages API. */
export type AnthropicCredential = BareKey<'anthropic'>;

export function parseAnthropic(text: string): Parsed<AnthropicCredential> {
  return parseBareKey('anthropic', text);
}
