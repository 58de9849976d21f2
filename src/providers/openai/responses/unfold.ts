/** A response in one piece as the stream that it would have been, for hosts that do not stream. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, members } from '../../../formats/json.js';
import { itemEvents } from '../../../formats/responses/writing/unfolded-item.js';

/** In their order, numbered. */
export function unfolded(response: JsonObject): JsonObject[] {
  const { output, usage, ...head } = response;
  const begun = { ...head, status: 'in_progress', completed_at: null, incomplete_details: null, output: [] };
  const type = response.status === 'incomplete' ? 'response.incomplete' : 'response.completed';
  const events: JsonObject[] = [
    { type: 'response.created', response: { ...begun, usage: null } },
    { type: 'response.in_progress', response: { ...begun, usage: null } },
    ...elements(output).flatMap((item, at) => itemEvents(members(item), at)),
    { type, response },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}
