/** Signatures of thoughts on calls, where the host takes Google's models in OpenAI's format. */
import type { ChatMessage, ToolCall } from '../../../formats/chat/types.js';
import { isObject, members } from '../../../formats/json.js';
import { plainCallId } from '../../common/call-id.js';
import { NO_SIGNATURE, signatureOn, signaturesIn } from '../../common/gemini-signatures.js';
import { mapped, type Step, withBody } from '../step.js';

/**
 * The calls of each answer with the signatures that came with them, in whichever member the client kept them. Where it kept
 * none, or another model made the calls, the first has Google's placeholder.
 */
export const signCalls: Step = (call, { signedCalls }) => {
  if (!signedCalls) return call;
  return withBody(call, { messages: mapped(call.body.messages, signed) });
};

function signed(message: ChatMessage): ChatMessage {
  const { role, tool_calls } = message;
  if (role !== 'assistant' || !Array.isArray(tool_calls)) return message;
  const given: readonly ToolCall[] = tool_calls;
  const { ofCalls } = signaturesIn(message);
  const kept = given.map((call) => signatureOn(call) ?? ofCalls.get(plainCallId(call.id)));
  const isUnsigned = kept.every((signature) => signature === undefined);
  const calls = mapped(given, (call, index) => {
    const signature = kept[index] ?? (isUnsigned && index === 0 ? NO_SIGNATURE : undefined);
    return signature === undefined || signature === signatureOn(call) ? call : withSignature(call, signature);
  });
  return calls === tool_calls ? message : { ...message, tool_calls: calls };
}

function withSignature(call: ToolCall, thought_signature: string): ToolCall {
  const extra = isObject(call.extra_content) ? call.extra_content : {};
  return { ...call, extra_content: { ...extra, google: { ...members(extra.google), thought_signature } } };
}
