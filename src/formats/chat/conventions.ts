import { errorWords } from './error.js';

/** What OpenAI's clients expect besides the messages of the chat API. */
export const CHAT_CONVENTIONS = { errorWords };
