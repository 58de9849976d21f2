import { anthropic } from './anthropic.js';
import type { Dialect } from './dialect.js';
import { gemini } from './gemini/format.js';
import { openapi } from './openapi.js';

/** A model by its publisher's name of it, and how it is spoken to. */
export interface PublishedModel {
  readonly model: string;
  readonly dialect: Dialect;
}

/** `publishers/meta/models/llama`, `meta/llama` or `llama`. */
const MODEL_ID = /^(?:publishers\/([^/]+)\/models\/|([^/]+)\/)?(.+)$/s;

/** Which model an endpoint's id at the provider names, and whose: Anthropic's, Google's own, or any other's. */
export function publishedModel(upstreamModelId: string): PublishedModel {
  const [, long, short, name = upstreamModelId] = MODEL_ID.exec(upstreamModelId) ?? [];
  const publisher = long ?? short;
  if (name.startsWith('claude-') && (publisher ?? 'anthropic') === 'anthropic') {
    return { model: name, dialect: anthropic };
  }
  if (long === 'google' || (name.startsWith('gemini-') && (publisher ?? 'google') === 'google')) {
    return { model: name, dialect: gemini };
  }
  return { model: publisher === undefined ? name : `${publisher}/${name}`, dialect: openapi };
}
