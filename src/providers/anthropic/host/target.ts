import type { CallCommons } from '../../../inference/ports/adapter.js';

/** Where to send Messages requests. */
export interface MessagesTarget {
  /** The URL of `messages`; `count_tokens` is below it. */
  readonly url: URL;
  /** Authentication, if it is part of the format. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the host takes the API's headers that nobody here knows. */
  readonly takesOpenHeaders?: boolean;
  /** The model's name in the body. */
  readonly model: string;
}

/** Throws an Error if the call can't be made. */
export type FindTarget<Credential> = (call: CallCommons<Credential>) => MessagesTarget;
