/** What hosts refuse of Responses requests that are made of chats: `docs/providers/openai.md#refusals`. */

import { sentChatsAs } from '../../../catalog/formats.js';
import { withQuirk } from '../../../catalog/quirks.js';
import { REASONING_FORMAT } from '../../../formats/chat/reasoning-details.js';
import type { ChatMessage, JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../formats/json.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import type { CallFeature } from '../../../inference/ports/refusals.js';
import { mapped } from '../../fit/step.js';
import { asksForEncrypted, asksForSummary, ENCRYPTED, SUMMARY } from './reasoning.js';

type Call = UpstreamCall<unknown, 'chat'>;

/** How a chat goes on without it, by the kind of the feature; the same call where it has nothing of it. */
const WITHOUT: Readonly<Record<string, (call: Call) => Call>> = {
  encrypted_reasoning(call) {
    const messages = mapped(call.body.messages, withoutThoughts);
    return messages === call.body.messages ? call : { ...call, body: { ...call.body, messages } };
  },
  encrypted_content: (call) => (asksForEncrypted(call) ? refusing(call, ENCRYPTED) : call),
  reasoning_summary: (call) => (asksForSummary(call) ? refusing(call, SUMMARY) : call),
};

/** The feature, of chats that are sent so too. */
export function alsoInChats(feature: CallFeature): CallFeature {
  const without = WITHOUT[feature.kind];
  if (without === undefined) return feature;
  const overResponses = (call: UpstreamCall): call is Call =>
    call.format === 'chat' && sentChatsAs(call.endpoint) === 'responses';
  return {
    ...feature,
    namesIn(call) {
      if (!overResponses(call)) return feature.namesIn(call);
      return without(call) === call ? [] : [feature.kind];
    },
    without: (call, name) => (overResponses(call) ? without(call) : feature.without(call, name)),
  };
}

/** The call to a host that refuses this part of requests. */
function refusing(call: Call, name: string): Call {
  const { members: names } = call.endpoint.quirks;
  return { ...call, endpoint: withQuirk(call.endpoint, 'members', { ...names, [name]: null }) };
}

/** A message without the thoughts that its model has encrypted. */
function withoutThoughts(message: ChatMessage): ChatMessage {
  const { reasoning_details, provider_blocks, ...rest } = message;
  const details = elements(reasoning_details);
  const left = details.filter((detail) => members(detail).format !== REASONING_FORMAT.openai);
  const { format, blocks } = members(provider_blocks);
  const items = elements(blocks);
  const kept =
    format === REASONING_FORMAT.openai ? items.filter((item) => members(item).type !== 'reasoning') : items;
  if (left.length === details.length && kept.length === items.length) return message;
  return {
    ...rest,
    ...(left.length > 0 && { reasoning_details: left }),
    ...(isObject(provider_blocks) && {
      provider_blocks: { ...(provider_blocks as JsonObject), blocks: kept },
    }),
  };
}
