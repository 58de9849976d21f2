import type { ChatBody, JsonObject } from '../../../../formats/chat/types.js';
import type { Reasoning } from '../../../../inference/reasoning/reasoning.js';
import type { NestedJson } from '../../../common/nested-json.js';
import { conversationOf } from './conversation.js';
import { generationConfigOf } from './generation-config.js';
import { hostGenerationConfig, hostMembers } from './host-members.js';
import { toolsOf } from './tools.js';

/**
 * The body of `generateContent`. Its own members are passed on; parameters that Gemini does not have are left out.
 * Throws `UpstreamFailure` `invalid_request` for content, tools and tool choices that it does not have.
 */
export function geminiRequest(
  body: ChatBody,
  reasoning: Reasoning | null,
  model: string,
  nested: NestedJson,
): JsonObject {
  const generationConfig = {
    ...generationConfigOf(body, reasoning, model),
    ...hostGenerationConfig(body),
  };
  return {
    ...conversationOf(body.messages, model, nested),
    ...toolsOf(body),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
    ...hostMembers(body),
  };
}
