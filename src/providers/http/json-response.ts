import type { HttpResponse } from './http.js';

/**
 * Whether a response is JSON, according to its head. Some hosts say so of streams too, which their first bytes reveal.
 */
export async function isJson({ headers, body }: HttpResponse): Promise<boolean> {
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '')) return false;
  const start = await body.peek();
  return start === undefined || !STREAM.test(start.toString('latin1', 0, MAX_START_BYTES));
}

/** Server-sent events begin with a field or a comment. The JSON of an answer never does. */
const STREAM = /^\s*(?:data|event|id|retry)?:/;
const MAX_START_BYTES = 64;
