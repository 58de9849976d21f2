/** Translates the sources that the model cites to `annotations` of the message. */
import { urlCitation } from '../../../formats/chat/citation.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, textOf } from '../../../formats/json.js';

/** The annotations of a text block that begins at this character of the message's content. */
export function annotationsOf({ text, citations }: JsonObject, startIndex: number): JsonObject[] {
  const end_index = startIndex + (textOf(text) ?? '').length;
  const place = { start_index: startIndex, end_index };
  return elements(citations)
    .filter(isObject)
    .map((citation) => annotationOf(citation, place));
}

/** Web pages in OpenAI's form, and positions in documents as Anthropic describes them. */
function annotationOf(citation: JsonObject, place: JsonObject): JsonObject {
  const url = textOf(citation.url);
  if (url === undefined) return { type: 'file_citation', file_citation: { ...citation, ...place } };
  const content = textOf(citation.cited_text);
  return urlCitation({ url, title: citation.title, ...(content && { content }), ...place });
}
