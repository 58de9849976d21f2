import type { Violation } from '../../base/problem.js';
import type { ChatBody } from '../chat/types.js';
import type { WritingRules } from './answer.js';
import type { MessagesBody } from './types.js';

/** A Messages request as a chat, and what does not fit into one. */
export interface ReadRequest {
  /** With `model`, `models`, `provider` and `stream` as they are in the request. Complete where `violations` is empty. */
  readonly chat: ChatBody;
  /** Types of tools and blocks, and members, that the chat lacks: the generation's `omitted`. Each once. */
  readonly omitted: readonly string[];
  /**
   * What only an endpoint that speaks Messages can do, each by its member's name or its tool's type: leaving it out
   * would answer another question. Endpoints that are called in another format are excluded where it is not empty.
   */
  readonly nativeOnly: readonly string[];
  readonly rules: WritingRules;
  /** Why the request can't be read as a chat. An endpoint that speaks Messages judges for itself. */
  readonly violations: readonly Violation[];
}

/** Reads a Messages request as a chat. Nothing that it does not know is refused. */
export declare function readMessages(body: MessagesBody): ReadRequest;
