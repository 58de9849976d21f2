import { type JsonObject, textOf } from '../json.js';

/**
 * A cited page as chats have it. OpenAI's types demand a title and a place, and clients in Python refuse an answer without them
 * (https://github.com/pydantic/pydantic-ai/issues/3657, https://github.com/vercel/ai/issues/10199; 2026-11-26): what is not known is
 * empty, and at 0.
 */
export function urlCitation(cited: JsonObject & { readonly url: string }): JsonObject {
  const { title, start_index, end_index } = cited;
  return {
    type: 'url_citation',
    url_citation: {
      ...cited,
      title: textOf(title) ?? '',
      start_index: positionOf(start_index),
      end_index: positionOf(end_index),
    },
  };
}

function positionOf(index: unknown): number {
  return Number.isInteger(index) ? Number(index) : 0;
}
