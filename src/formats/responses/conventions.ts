/** What OpenAI's clients expect besides the messages of the Responses API. */
export const RESPONSES_CONVENTIONS = {};
