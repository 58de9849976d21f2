import type { FinishReason, Usage } from '../../chat/types.js';
import type { JsonObject } from '../../json.js';
import type { OutputItem, ResponseObject, ResponseStatus } from '../types.js';
import { responseUsage } from './usage.js';

/** What all states of a response have in common. */
export interface ResponseHead {
  /** The generation's id. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The name of the model in the answer. */
  readonly model: string;
  /** What is given back of the request. */
  readonly given: JsonObject;
}

/** What changes as a response is written. */
export interface ResponseState {
  readonly status: ResponseStatus;
  readonly output: readonly OutputItem[];
  readonly error?: ResponseObject['error'];
  readonly incomplete_details?: ResponseObject['incomplete_details'];
  /** Unix seconds. */
  readonly completed_at?: number | null;
  readonly usage?: Usage;
  /** As the provider says. */
  readonly tier?: unknown;
}

const ID_PREFIX = 'resp_';

/** The id of a response, which contains the id of its generation. */
export function responseId(generationId: string): string {
  return ID_PREFIX + generationId;
}

export function responseObject(
  { id, created, model, given }: ResponseHead,
  state: ResponseState,
): ResponseObject {
  const { status, output, error = null, incomplete_details = null, completed_at = null, usage, tier } = state;
  return {
    ...given,
    id: responseId(id),
    object: 'response',
    created_at: created,
    completed_at,
    status,
    error,
    incomplete_details,
    model,
    output,
    usage: usage === undefined ? null : responseUsage(usage),
    ...(typeof tier === 'string' && { service_tier: tier }),
  };
}

export type Incomplete = NonNullable<ResponseObject['incomplete_details']>['reason'];

/** Why an answer that ended so is not complete; undefined if it is. */
export function incompleteBy(reason: FinishReason): Incomplete | undefined {
  if (reason === 'length') return 'max_output_tokens';
  return reason === 'content_filter' ? 'content_filter' : undefined;
}

/**
 * How a response ends that was not broken off. A call whose arguments were cut makes it incomplete whatever the provider
 * says of the end, since clients run what is complete.
 */
export function responseEnding(
  incomplete: Incomplete | undefined,
  output: readonly OutputItem[],
  at: number,
): Pick<ResponseState, 'status' | 'incomplete_details' | 'completed_at'> {
  const isCut = output.some((item) => 'status' in item && item.status === 'incomplete');
  const reason = incomplete ?? (isCut ? 'max_output_tokens' : undefined);
  return reason === undefined
    ? { status: 'completed', completed_at: at }
    : { status: 'incomplete', incomplete_details: { reason } };
}
