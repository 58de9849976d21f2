import type { JsonObject } from '../../formats/chat/types.js';
import type { UpstreamCall } from '../../inference/attempts/adapter.js';
import { AZURE } from '../openai/quirks.js';
import { requestBody } from '../openai/request.js';

/** Dated versions before this one refuse `stream_options`. */
const FIRST_WITH_STREAM_OPTIONS = '2024-09-01';

/** The body of a chat at this URL: OpenAI's own, but for what neither OpenAI nor the URL's version knows. */
export function azureBody(call: UpstreamCall, url: URL, isStreamed: boolean): JsonObject {
  const { stream_options, ...rest } = requestBody(call, AZURE, isStreamed);
  const isKnown = version(url) >= FIRST_WITH_STREAM_OPTIONS;
  return isKnown && stream_options !== undefined ? { ...rest, stream_options } : rest;
}

/** Versions are dates, some with a word after them; a URL without one is of the newest. */
function version(url: URL): string {
  return url.searchParams.get('api-version') ?? 'newest';
}
