/** What requests say, in one form for all APIs, and what one no longer says that another did. */
import { saidInChat } from './said/chat.js';
import { saidInConverse } from './said/converse.js';
import { saidInGemini } from './said/gemini.js';
import { saidInMessages } from './said/messages.js';
import { saidInResponses } from './said/responses.js';
import type { Said } from './said/saying.js';

export { lost } from './said/lost.js';
export { saidInChat, saidInMessages };

const READERS = {
  chat: saidInChat,
  messages: saidInMessages,
  converse: saidInConverse,
  gemini: saidInGemini,
  responses: saidInResponses,
} as const;

/** What a body says that is of this format; numbers keep their digits where it was read by `parseExact`. */
export function saidIn(format: keyof typeof READERS, body: object): Said {
  return READERS[format](body);
}
