import type { Parsed } from '../json-reader.js';
import { type BareKey, parseBareKey } from './bare-key.js';

/** The bearer token of an OpenAI-compatible provider. */
export type OpenAiCredential = BareKey<'openai'>;

export function parseOpenAi(text: string): Parsed<OpenAiCredential> {
  return parseBareKey('openai', text);
}
