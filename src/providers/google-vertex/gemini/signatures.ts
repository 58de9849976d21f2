/**
 * Thought signatures: what the newer models want to see again of their own answers, verbatim. Clients keep them in
 * `reasoning_details`, each with the tool call that it belongs to, or without one when it belongs to the text.
 */
import type { ChatMessage, JsonObject } from '../../../formats/chat/types.js';
import { elements, members, textOf } from '../../http/json.js';

/** Tells our signatures from those of other models, which mean nothing here. */
const FORMAT = 'google-gemini-v1';

/** The detail that holds a signature; `index` counts the details of an answer. */
export function signatureDetail(signature: string, index: number, callId: string | null): JsonObject {
  return {
    type: 'reasoning.encrypted',
    data: signature,
    ...(callId !== null && { id: callId }),
    format: FORMAT,
    index,
  };
}

/** The signatures of an earlier answer. */
export interface Signatures {
  readonly ofCalls: ReadonlyMap<string, string>;
  readonly ofText: string | undefined;
}

/** Reads the signatures out of an assistant's message. */
export function signaturesIn({ reasoning_details }: ChatMessage): Signatures {
  const ofCalls = new Map<string, string>();
  let ofText: string | undefined;
  for (const { type, data, id, format } of elements(reasoning_details).map(members)) {
    const signature = textOf(data);
    if (type !== 'reasoning.encrypted' || format !== FORMAT || signature === undefined) continue;
    const callId = textOf(id);
    if (callId === undefined) ofText = signature;
    else ofCalls.set(callId, signature);
  }
  return { ofCalls, ofText };
}
