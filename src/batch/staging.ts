/** The requests of a batch as the provider's jobs read them: one JSON line each. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Endpoint } from '../catalog/types.js';
import type { JsonObject, LineForm } from './ports.js';

/** A request as it was sent; its body is made when it is needed, so that no second copy of all of them is in memory. */
export interface SentRequest {
  readonly customId: string;
  /** In our dialect. */
  body(): JsonObject;
}

/** An endpoint, and the form in which its model is asked. */
export interface AskedForm {
  readonly form: LineForm;
  readonly endpoint: Endpoint;
}

/** Characters that are sent at a time. */
const PIECE_CHARACTERS = 64 * 1024;

/** The lines of all requests in pieces. Throws `ProviderFailure` `refused` at a request that the model can't be asked. */
export async function* stagedLines(
  requests: readonly SentRequest[],
  { form, endpoint }: AskedForm,
): AsyncGenerator<Uint8Array, void, undefined> {
  let piece = '';
  for (const [row, request] of requests.entries()) {
    piece += `${JSON.stringify(form.line(row, askedBody(request.body()), endpoint))}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield Buffer.from(piece);
    piece = '';
    await turn();
  }
  if (piece !== '') yield Buffer.from(piece);
}

/** The body as the model is asked it: what concerns its route or a stream is gone. */
export function askedBody({ model, stream, stream_options, ...body }: JsonObject): JsonObject {
  return body;
}
