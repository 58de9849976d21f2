import type { Violation } from '../../base/problem.js';
import type { ChatBody } from '../chat/types.js';
import type { SealedThoughts } from '../messages/sealed-thoughts.js';
import type { ResponsesBody } from './types.js';
import type { WritingRules } from './writing-rules.js';

/** A Responses request read as a chat, and what does not fit into one. */
export interface ReadRequest {
  /** Has `model`, `models`, `provider` and `stream` as in the request. Complete if `violations` is empty. */
  readonly chat: ChatBody;
  /** The part of the chat's reasoning that stands in marks. */
  readonly sealed: SealedThoughts;
  /** Types of tools and items, and members, that the chat lacks, each once. They become the generation's `omitted`. */
  readonly omitted: readonly string[];
  /** What only an endpoint that speaks Responses can do: without it the answer would be to another question. */
  readonly nativeOnly: readonly string[];
  readonly rules: WritingRules;
  /** Why the request can't be read as a chat. An endpoint that speaks Responses judges for itself. */
  readonly violations: readonly Violation[];
}

/** Reads a Responses request as a chat. Unknown members, items and tools are never refused. */
export function readResponses(_body: ResponsesBody): ReadRequest {
  throw new Error('to be written');
}
