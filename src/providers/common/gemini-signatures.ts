/**
 * Thought signatures, which newer models require back verbatim. Clients send them back in `reasoning_details`, with the
 * id of the tool call, or without an id if the signature belongs to the text.
 */
import { textKey } from '../../base/text.js';
import type { ChatMessage, JsonObject } from '../../formats/chat/types.js';
import { elements, members, textOf } from '../../formats/json.js';

/** Google's placeholder for calls that another model made, or whose signature the client dropped. */
export const NO_SIGNATURE = 'skip_thought_signature_validator';

/** Distinguishes these signatures from those of other models. */
const FORMAT = 'google-gemini-v1';

/** The detail for a signature; `index` counts the details of an answer. */
export function signatureDetail(signature: string, index: number, callId: string | null): JsonObject {
  return {
    type: 'reasoning.encrypted',
    data: signature,
    ...(callId !== null && { id: callId }),
    format: FORMAT,
    index,
  };
}

export interface Signatures {
  /** By the key of a tool call's id. Each signs one call, and is removed when it is used. */
  readonly ofCalls: Map<string, string>;
  readonly ofText: string | undefined;
}

/** The signatures in an assistant's message. */
export function signaturesIn({ reasoning_details }: ChatMessage): Signatures {
  const ofCalls = new Map<string, string>();
  let ofText: string | undefined;
  for (const { type, data, id, format } of elements(reasoning_details).map(members)) {
    const signature = textOf(data);
    if (type !== 'reasoning.encrypted' || format !== FORMAT || signature === undefined) continue;
    const callId = textOf(id);
    if (callId === undefined) ofText = signature;
    else ofCalls.set(textKey(callId), signature);
  }
  return { ofCalls, ofText };
}
