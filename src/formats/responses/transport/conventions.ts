import { responsesErrorAnswer } from './error.js';
import { RESPONSES_EVENTS } from './events.js';
import { RESPONSES_OPENAPI } from './openapi.js';

/** What OpenAI's clients expect besides the messages of the Responses API. */
export const RESPONSES_CONVENTIONS = {
  errorForm: responsesErrorAnswer,
  events: RESPONSES_EVENTS,
  openapi: RESPONSES_OPENAPI,
};
