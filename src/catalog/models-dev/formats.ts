import { hasNoChats } from '../formats.js';
import type { Format } from '../types.js';

/** Hosts that have the Responses API for all models of OpenAI's. */
const THEIR_HOSTS = ['openai', 'azure'];

/** null = the defaults for its provider and model; undefined = none that is known here. */
export function convertFormats(
  id: string,
  provider: string,
  outputModalities: readonly string[],
): readonly Format[] | null | undefined {
  if (id.endsWith('-turbo-instruct')) return provider === 'openai' ? ['completions'] : undefined;
  if (!outputModalities.some((one) => SERVED_OUTPUTS.includes(one))) return undefined;
  if (outputModalities.includes('embeddings') && provider === 'azure' && !AZURE_EMBEDDINGS.test(id))
    return undefined;
  return THEIR_HOSTS.includes(provider) && hasNoChats(id) ? ['responses'] : null;
}

/** Azure's operation serves OpenAI's alone, and refuses Cohere's: https://github.com/BerriAI/litellm/issues/8976 (2026-11-26). */
const AZURE_EMBEDDINGS = /\btext-embedding-/;

/** Images, speech and transcripts alone have APIs of their own. */
const SERVED_OUTPUTS = ['text', 'embeddings', 'rerank'];
