import type { Resource } from './url.js';

/** The publisher of a model, as far as the format depends on it. */
export type Publisher = 'anthropic' | 'google' | 'other';

/** A model, by its publisher's name. */
export interface PublishedModel {
  readonly publisher: Publisher;
  readonly model: string;
}

/** `publishers/meta/models/llama`, `meta/llama` or `llama`. */
const MODEL_ID = /^(?:publishers\/([^/]+)\/models\/|([^/]+)\/)?(.+)$/s;

/** The model of an endpoint by its id at the provider. */
export function publishedModel(upstreamModelId: string): PublishedModel {
  const [, long, short, name = upstreamModelId] = MODEL_ID.exec(upstreamModelId) ?? [];
  const publisher = long ?? short;
  if (name.startsWith('claude-') && (publisher ?? 'anthropic') === 'anthropic') {
    return { publisher: 'anthropic', model: name };
  }
  if (long === 'google' || (name.startsWith('gemini-') && (publisher ?? 'google') === 'google')) {
    return { publisher: 'google', model: name };
  }
  return { publisher: 'other', model: publisher === undefined ? name : `${publisher}/${name}` };
}

/** The generation in a model's id: 2.5 of `gemini-2.5-pro`; undefined without one (`gemini-flash-latest`). */
export function generationOf(model: string): number | undefined {
  const named = /^gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1];
  return named === undefined ? undefined : Number(named);
}

/** The resource of a model of Anthropic's. */
export function claudeResource(model: string, isStreamed: boolean): Resource {
  const method = isStreamed ? 'streamRawPredict' : 'rawPredict';
  return { path: `publishers/anthropic/models/${pathSegment(model)}:${method}` };
}

/** A model's name as a path segment. */
export function pathSegment(model: string): string {
  return encodeURIComponent(model).replaceAll('%40', '@');
}
