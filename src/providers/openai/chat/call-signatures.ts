/**
 * Signatures of thoughts, which Google's models have on calls in this format. They are told as reasoning details too: clients
 * keep those, while many drop what they do not know of a call, and the Messages API has no other member for them.
 */
import type { JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { elements, members } from '../../../formats/json.js';
import { signatureDetail, signatureOn } from '../../common/gemini-signatures.js';

/** The signatures of one choice. */
export class CallSignatures {
  readonly #signed = new Set<string>();
  #details = 0;

  /**
   * `reasoning_details` with the signatures of these calls or fragments, each once; `given` where there are none.
   * `idOf`: the id of the call that a fragment without one belongs to.
   */
  detailsWith(given: unknown, calls: readonly ToolCall[], idOf: (call: ToolCall) => string): unknown {
    const own = elements(given);
    const ownData = own.map((detail) => members(detail).data);
    this.#details += own.length;
    const details = calls.flatMap((call) => {
      const signature = signatureOn(call);
      const id = signature === undefined ? '' : idOf(call);
      if (signature === undefined || this.#signed.has(id)) return [];
      this.#signed.add(id);
      return ownData.includes(signature) ? [] : [this.#detail(signature, id)];
    });
    return details.length === 0 ? given : [...own, ...details];
  }

  #detail(signature: string, callId: string): JsonObject {
    const detail = signatureDetail(signature, this.#details, callId);
    this.#details += 1;
    return detail;
  }
}
