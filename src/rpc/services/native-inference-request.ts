import type { HandlerContext } from '@connectrpc/connect';
import { runInSlices } from '../../base/time-slices.js';
import type { JsonObject } from '../../formats/chat/types.js';
import type { MarkSigner } from '../../formats/marks.js';
import type { ReadRequest } from '../../formats/reading/read-request.js';
import { openThoughts } from '../../formats/reading/sealed-thoughts.js';
import type { InferenceRequest } from '../../inference/ports/inference-request.js';
import { inferenceRequest } from '../inference-request.js';
import type { MarkSigners } from '../mark-signers.js';
import { nativeDemand } from '../messages/native-demand.js';

interface SentNatively {
  readonly format: 'messages' | 'responses';
  /** The request without the gateway's own members. */
  readonly body: JsonObject;
  readonly read: ReadRequest<unknown>;
}

/** A request that was sent in a format of its own, and the signer of the marks in its conversation. */
export function nativeInferenceRequest(
  { format, body, read }: SentNatively,
  { marks, context }: { readonly marks: MarkSigners; readonly context: HandlerContext },
): { readonly request: InferenceRequest; readonly signer: () => Promise<MarkSigner | undefined> } {
  const { chat, sealed, omitted } = read;
  const signer = () => marks.signerOf(request.caller.accountId);
  const open = async () => runInSlices(openThoughts(chat, sealed, await signer()));
  const sent = { ...nativeDemand(format, read), chat, body, omitted, ...(sealed.size > 0 && { open }) };
  const request = inferenceRequest(sent, context);
  return { request, signer };
}
