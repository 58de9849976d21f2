/** How much a model shall reason, and what is to be seen and carried of it. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements } from '../../../formats/json.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import { isReasoningHidden } from '../../../inference/reasoning/reasoning.js';
import { effortOf } from '../chat/request.js';
import { type RulesOverResponses, rulesOverResponses } from './contract.js';

type Call = UpstreamCall<unknown, 'chat'>;

/** What the catalogue calls the summary among the members that hosts refuse. */
export const SUMMARY = 'reasoning.summary';

/** Asks for what the model wants back of its reasoning. */
export const ENCRYPTED = 'reasoning.encrypted_content';

/** The member `reasoning`; empty where the request leaves it to the model. */
export function reasoningMember(call: Call, rules: RulesOverResponses): JsonObject {
  const { reasoning } = call;
  if (reasoning === null) return {};
  const effort = isRefused('reasoning_effort', rules) ? undefined : effortOf(call, reasoning);
  return { ...(effort !== undefined && { effort }), ...(asksForSummary(call) && { summary: 'auto' }) };
}

/** A summary is all that a person can read of how these models reason; those who hide it are spared it. */
export function asksForSummary({ reasoning, body, endpoint, provider }: Call): boolean {
  const isShown = reasoning?.isEnabled === true && !isReasoningHidden(body);
  return isShown && !isRefused(SUMMARY, rulesOverResponses(endpoint, provider));
}

/** Hosts refuse to encrypt what models do not reason. */
export function asksForEncrypted({ reasoning, body, endpoint, provider }: Call): boolean {
  const rules = rulesOverResponses(endpoint, provider);
  const { efforts, thinksByDefault } = rules.contract;
  const canReason = thinksByDefault || (efforts?.length ?? 0) > 0 || reasoning?.isEnabled === true;
  const isWanted = canReason || elements(body.include).includes(ENCRYPTED);
  return isWanted && efforts?.length !== 0 && !isRefused(ENCRYPTED, rules);
}

function isRefused(name: string, { quirks: { members = {} } }: RulesOverResponses): boolean {
  return members[name] === null;
}
