import { urlCitation } from '../../../formats/chat/citation.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, textOf } from '../../../formats/json.js';

/** The annotations of a text that begins at this character of the message's content, as chats have them. */
export function annotationsOf({ annotations }: JsonObject, start: number): JsonObject[] {
  return elements(annotations)
    .filter(isObject)
    .flatMap((annotation) => {
      const { type, ...others } = annotation;
      const name = textOf(type);
      if (name === undefined) return [];
      const cited = moved(others, start);
      const url = textOf(cited.url);
      return name === 'url_citation' && url !== undefined
        ? [urlCitation({ ...cited, url })]
        : [{ type: name, [name]: cited }];
    });
}

/** The place of a citation, in the message's content. */
const POSITIONS = ['start_index', 'end_index'] as const;

function moved(citation: JsonObject, start: number): JsonObject {
  const places = POSITIONS.flatMap((name) => {
    const place = citation[name];
    return typeof place === 'number' ? [[name, place + start] as const] : [];
  });
  return { ...citation, ...Object.fromEntries(places) };
}
