/**
 * The events that end a stream which broke off. SDKs throw at `error`, which has its members in both places where they are
 * looked for; Codex reads `response.failed` alone.
 */
import type { ResponsesError, ResponsesStreamError } from '../transport/error.js';
import type { ResponseObject } from '../types.js';
import type { UnnumberedEvent } from './item-events.js';

export function errorEvent({ type, code, message, param, metadata }: ResponsesStreamError): UnnumberedEvent {
  return { type: 'error', code, message, param, error: { type, code, message, param, metadata } };
}

/** What a failed response says of its failure. */
export function errorIn({ code, message }: ResponsesError): NonNullable<ResponseObject['error']> {
  return { code, message };
}

export function failedEvent(response: object): UnnumberedEvent {
  return { type: 'response.failed', response };
}
