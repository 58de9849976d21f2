import type { CallCommons } from '../../../inference/ports/adapter.js';

/** Where to send Responses requests. */
export interface ResponsesTarget {
  /** The URL of `responses`; `input_tokens` is below it. */
  readonly url: URL;
  /** Authentication, if it is part of the format. */
  readonly headers: Readonly<Record<string, string>>;
  /** The model's name in the body. */
  readonly model: string;
}

/** Throws an Error if the call can't be made. */
export type FindResponses<Credential> = (call: CallCommons<Credential>) => ResponsesTarget;
