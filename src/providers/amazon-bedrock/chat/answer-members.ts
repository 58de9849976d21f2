/** What Converse says about an answer besides its message. */
import { urlCitation } from '../../../formats/chat/citation.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { members, textOf } from '../../../formats/json.js';
import { type GivenMode, givenIn } from '../../../formats/modes/served-mode.js';

/** Converse's own members, which are passed on as they are. */
const PASSED = ['additionalModelResponseFields', 'performanceConfig', 'trace'] as const;

/** The tier that an answer, or the last events of a stream, say; undefined without one. */
export function modeIn({ serviceTier }: JsonObject): GivenMode | undefined {
  return givenIn({ service_tier: members(serviceTier).type });
}

/** The members of an answer, or of the last events of a stream; undefined if there are none. */
export function membersOf(answer: JsonObject): JsonObject | undefined {
  const service_tier = textOf(members(answer.serviceTier).type);
  const said = {
    ...(service_tier !== undefined && { service_tier }),
    ...Object.fromEntries(PASSED.flatMap((name) => (answer[name] == null ? [] : [[name, answer[name]]]))),
  };
  return Object.keys(said).length === 0 ? undefined : said;
}

/** The annotation for a source that the model cites; none if the source is not a web page. */
export function annotationsOf(citation: JsonObject): JsonObject[] {
  const url = textOf(members(members(citation.location).web).url);
  if (url === undefined) return [{ type: 'file_citation', file_citation: citation }];
  return [urlCitation({ url, title: citation.title })];
}
