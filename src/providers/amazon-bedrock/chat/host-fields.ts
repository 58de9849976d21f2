/** The Messages API's own members, for Anthropic's models. Converse passes them on in the model's fields. */
import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import { isObject } from '../../../formats/json.js';
import { betasOf } from '../../anthropic/chat/host-members.js';
import type { BedrockModel } from './model.js';

export function hostFields(body: ChatBody, { family }: BedrockModel, betas?: readonly string[]): JsonObject {
  if (family !== 'claude') return {};
  const { context_management } = body;
  const names = betasOf(body, betas);
  return {
    ...(isObject(context_management) && { context_management }),
    ...(names.length > 0 && { anthropic_beta: names }),
  };
}
