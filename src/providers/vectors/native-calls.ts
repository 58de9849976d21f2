/** Calls to hosts whose API for embeddings is no copy of OpenAI's. */
import { inputsOf } from '../../formats/embeddings/inputs.js';
import type { UpstreamCall } from '../../inference/ports/adapter.js';
import { UpstreamFailure } from '../../inference/ports/failure.js';
import { withTexts } from './token-text.js';

type Call = UpstreamCall<unknown, 'embeddings'>;

/** The texts of all inputs. The plan has left such hosts out where there is media. Throws as `withTexts` does. */
export async function textsOf({ body }: Call): Promise<readonly unknown[]> {
  return inputsOf(await withTexts(body.input));
}

/** What the gateway does itself, or sends by another name. */
const TRANSLATED: ReadonlySet<string> = new Set(['model', 'input', 'encoding_format', 'dimensions']);

/** Reports the members of the request that are neither translated nor among those that are sent. */
export function reportLeftOut({ body, onAdapted }: Call, sent: readonly string[]): void {
  for (const [name, value] of Object.entries(body)) {
    const isAsked = value !== undefined && value !== null;
    if (isAsked && !TRANSLATED.has(name) && !sent.includes(name)) onAdapted?.(name, 'left_out');
  }
}

/** The endpoint's model has no API for embeddings that the gateway speaks. */
export function unknownModel({ endpoint, provider }: Call): UpstreamFailure {
  const message = `This gateway does not know how ${endpoint.upstreamModelId} makes embeddings at ${provider.name}: see docs/embeddings.md#hosts for the models that it knows there`;
  return new UpstreamFailure(message, { kind: 'upstream_error', error: 'internal', isPenalised: false });
}
