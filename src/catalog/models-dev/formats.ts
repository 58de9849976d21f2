import type { Format } from '../types.js';

/**
 * Models of OpenAI's that only the Responses API serves, at OpenAI and on Azure:
 * https://developers.openai.com/api/docs/models/o3-pro, .../gpt-5-codex, .../o3-deep-research.
 */
const RESPONSES_ONLY = /-pro$|codex|-deep-research$/;
const THEIR_HOSTS = ['openai', 'azure'];

/** null = the defaults for its provider and model; undefined = none that is known here. */
export function convertFormats(
  id: string,
  provider: string,
  outputModalities: readonly string[],
): readonly Format[] | null | undefined {
  if (id.endsWith('-turbo-instruct')) return provider === 'openai' ? ['completions'] : undefined;
  if (!outputModalities.some((one) => SERVED_OUTPUTS.includes(one))) return undefined;
  const isTheirs = id.startsWith('openai/') && THEIR_HOSTS.includes(provider);
  return isTheirs && RESPONSES_ONLY.test(id) ? ['responses'] : null;
}

/** Images, speech and transcripts alone have APIs of their own. */
const SERVED_OUTPUTS = ['text', 'embeddings', 'rerank'];
