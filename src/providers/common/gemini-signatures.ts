/**
 * Thought signatures, which newer models require back verbatim. Clients send them back in `reasoning_details`, with the
 * id of the tool call, or without an id if the signature belongs to the text.
 */
import { REASONING_FORMAT } from '../../formats/chat/reasoning-details.js';
import type { ChatMessage, JsonObject, ToolCall } from '../../formats/chat/types.js';
import { elements, members, textOf } from '../../formats/json.js';
import { plainCallId } from './call-id.js';

/** Google's placeholder for calls that another model made, or whose signature the client dropped. */
export const NO_SIGNATURE = 'skip_thought_signature_validator';

/** The detail for a signature; `index` counts the details of an answer. */
export function signatureDetail(signature: string, index: number, callId: string | null): JsonObject {
  return {
    type: 'reasoning.encrypted',
    data: signature,
    ...(callId !== null && { id: callId }),
    format: REASONING_FORMAT.google,
    index,
  };
}

/** The signature that a call in OpenAI's format carries itself. */
export function signatureOn({ extra_content }: ToolCall): string | undefined {
  return textOf(members(members(extra_content).google).thought_signature);
}

export interface Signatures {
  /** By the id of a tool call as `plainCallId` has it: clients of Messages have ids without other characters. Each signs one call, and is removed when it is used. */
  readonly ofCalls: Map<string, string>;
  readonly ofText: string | undefined;
}

/** The signatures in an assistant's message. */
export function signaturesIn({ reasoning_details }: ChatMessage): Signatures {
  const ofCalls = new Map<string, string>();
  let ofText: string | undefined;
  for (const { type, data, id, format } of elements(reasoning_details).map(members)) {
    const signature = textOf(data);
    if (type !== 'reasoning.encrypted' || format !== REASONING_FORMAT.google || signature === undefined)
      continue;
    const callId = textOf(id);
    if (callId === undefined) ofText = signature;
    else ofCalls.set(plainCallId(callId), signature);
  }
  return { ofCalls, ofText };
}
