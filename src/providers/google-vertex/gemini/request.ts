/** A chat in the words of `generateContent`. */
import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import type { Reasoning } from '../../../inference/reasoning/reasoning.js';
import { generationConfigOf } from './generation-config.js';
import { toolsOf } from './tools.js';
import { conversationOf } from './turns.js';

/**
 * The body of a request to this model; what Gemini has no word for and can do without is left out. Throws
 * `UpstreamFailure` `invalid_request` at what it can't do without.
 */
export function geminiRequest(body: ChatBody, reasoning: Reasoning | null, model: string): JsonObject {
  const generationConfig = generationConfigOf(body, reasoning, model);
  return {
    ...conversationOf(body.messages, model),
    ...toolsOf(body),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
  };
}
