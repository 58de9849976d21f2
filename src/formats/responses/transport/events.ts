/** Server-sent events of the Responses API: https://platform.openai.com/docs/api-reference/responses-streaming */
import { namedEvent } from '../../named-event.js';

/** There is no event that only says that a stream lives, nor one that ends it. Comments keep connections open. */
export const RESPONSES_EVENTS = {
  event: namedEvent,
  ping: { text: ': waiting\n\n', isFirst: false, afterPings: 1.5 },
};
