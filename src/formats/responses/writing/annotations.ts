/** What a chat's answer tells of its text, in the form that Responses has for it. */
import { elements, isObject, type JsonObject, members, textOf } from '../../json.js';

/**
 * The pages that a text cites. Other sources (places in the request's documents) have no form in Responses, whose clients
 * refuse what they do not know. Positions are less `offset`.
 */
export function citationsIn(annotations: unknown, offset: number): JsonObject[] {
  return elements(annotations)
    .map(members)
    .flatMap((annotation) => {
      const cited = isObject(annotation.url_citation) ? annotation.url_citation : annotation;
      const url = textOf(cited.url);
      if (annotation.type !== 'url_citation' || url === undefined) return [];
      return [
        {
          type: 'url_citation',
          url,
          title: textOf(cited.title) ?? '',
          start_index: position(cited.start_index, offset),
          end_index: position(cited.end_index, offset),
        },
      ];
    });
}

function position(index: unknown, offset: number): number {
  return typeof index === 'number' && index > offset ? index - offset : 0;
}

/** Of a choice of a chat: each with all members that clients demand. */
export function logprobsIn(logprobs: JsonObject | null): JsonObject[] {
  return elements(logprobs?.content)
    .filter(isObject)
    .map((token) => ({
      ...logprob(token),
      top_logprobs: elements(token.top_logprobs).map(members).map(logprob),
    }));
}

function logprob({ token, logprob, bytes }: JsonObject): JsonObject {
  return { token, logprob, bytes: bytes ?? [...Buffer.from(String(token))] };
}
