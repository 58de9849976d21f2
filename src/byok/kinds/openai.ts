import { type BareKey, parseBareKey } from './bare-key.js';
import type { Parsed } from './json-reader.js';

/** The bearer token of an OpenAI-compatible provider. */
export type OpenAiCredential = BareKey<'openai'>;

export function parseOpenAi(text: string): Parsed<OpenAiCredential> {
  return parseBareKey('openai', text);
}
