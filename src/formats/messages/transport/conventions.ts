import { messagesErrorAnswer } from './error.js';
import { MESSAGES_EVENTS } from './events.js';
import { MESSAGES_OPENAPI } from './openapi.js';

/** What Anthropic's clients expect besides the messages of the API's operations. */
export const MESSAGES_CONVENTIONS = {
  clientHeader: 'anthropic-version',
  requestIdHeader: 'request-id',
  errorForm: messagesErrorAnswer,
  events: MESSAGES_EVENTS,
  openapi: MESSAGES_OPENAPI,
};
