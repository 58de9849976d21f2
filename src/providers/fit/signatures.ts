/** Signatures of thoughts on calls, where the host takes Google's models in OpenAI's format. */
import { textKey } from '../../base/text.js';
import type { ChatMessage, ToolCall } from '../../formats/chat/types.js';
import { isObject, members, textOf } from '../../formats/json.js';
import { NO_SIGNATURE, signaturesIn } from '../common/gemini-signatures.js';
import { mapped, type Step, withBody } from './step.js';

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
  const kept = given.map((call) => signatureIn(call) ?? ofCalls.get(textKey(call.id ?? '')));
  const isUnsigned = kept.every((signature) => signature === undefined);
  const calls = mapped(given, (call, index) => {
    const signature = kept[index] ?? (isUnsigned && index === 0 ? NO_SIGNATURE : undefined);
    return signature === undefined || signature === signatureIn(call) ? call : withSignature(call, signature);
  });
  return calls === tool_calls ? message : { ...message, tool_calls: calls };
}

function signatureIn({ extra_content }: ToolCall): string | undefined {
  return textOf(members(members(extra_content).google).thought_signature);
}

function withSignature(call: ToolCall, thought_signature: string): ToolCall {
  const extra = isObject(call.extra_content) ? call.extra_content : {};
  return { ...call, extra_content: { ...extra, google: { ...members(extra.google), thought_signature } } };
}
