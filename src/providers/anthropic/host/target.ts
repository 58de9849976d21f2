import type { CallCommons } from '../../../inference/ports/adapter.js';

/** Where messages are sent to. */
export interface MessagesTarget {
  /** Of `messages`; that of `count_tokens` is below it. */
  readonly url: URL;
  /** Authentication, where it is the format's. */
  readonly headers: Readonly<Record<string, string>>;
  /** The model's name in the body. */
  readonly model: string;
}

/** Throws an Error where the call can't be made. */
export type FindTarget<Credential> = (call: CallCommons<Credential>) => MessagesTarget;
