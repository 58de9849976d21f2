import { anthropic } from './anthropic.js';
import { gemini } from './gemini/format.js';
import { openapi } from './openapi.js';
import type { PublisherFormat } from './publisher-format.js';

/** A model by its publisher's name of it, and its format. */
export interface PublishedModel {
  readonly model: string;
  readonly format: PublisherFormat;
}

/** `publishers/meta/models/llama`, `meta/llama` or `llama`. */
const MODEL_ID = /^(?:publishers\/([^/]+)\/models\/|([^/]+)\/)?(.+)$/s;

/** The model of an endpoint by its id at the provider: Anthropic's, Google's own, or another publisher's. */
export function publishedModel(upstreamModelId: string): PublishedModel {
  const [, long, short, name = upstreamModelId] = MODEL_ID.exec(upstreamModelId) ?? [];
  const publisher = long ?? short;
  if (name.startsWith('claude-') && (publisher ?? 'anthropic') === 'anthropic') {
    return { model: name, format: anthropic };
  }
  if (long === 'google' || (name.startsWith('gemini-') && (publisher ?? 'google') === 'google')) {
    return { model: name, format: gemini };
  }
  return { model: publisher === undefined ? name : `${publisher}/${name}`, format: openapi };
}
