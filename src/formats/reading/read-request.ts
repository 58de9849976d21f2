import type { Violation } from '../../base/problem.js';
import type { ChatBody } from '../chat/types.js';
import type { SealedThoughts } from './sealed-thoughts.js';

/** A request of another format read as a chat, and what does not fit into one. */
export interface ReadRequest<WritingRules> {
  /** Has `model`, `models`, `provider` and `stream` as in the request. Complete if `violations` is empty. */
  readonly chat: ChatBody;
  /** The part of the chat's reasoning that stands in marks, which `openThoughts` reads. */
  readonly sealed: SealedThoughts;
  /**
   * Types of tools and of pieces of the conversation, and members, that the chat lacks, each once. They become the generation's
   * `omitted`.
   */
  readonly omitted: readonly string[];
  /**
   * What only an endpoint that speaks the format can do, by the member's name or the tool's type: without it the answer
   * would be to another question. If it is not empty, endpoints that are called in another format are excluded.
   */
  readonly nativeOnly: readonly string[];
  /** The parts of the request that decide how its answer is written. */
  readonly rules: WritingRules;
  /** Why the request can't be read as a chat. An endpoint that speaks the format judges for itself. */
  readonly violations: readonly Violation[];
}
