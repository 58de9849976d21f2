/**
 * What a host takes of a Responses request, as data: `docs/providers/openai.md#contract`. One function makes any request fit
 * any contract, whether it is passed on as it came or made from a chat.
 */
import type { ChatContract } from './chat-contract.js';

/** Of reasoning in the conversation: such as the host encrypted alone, or as it comes. */
export const REASONING_INPUTS = ['encrypted', 'any'] as const;

export interface ResponsesContract {
  /** Members of a request; null = also such as nobody knows here. */
  readonly members: ReadonlySet<string> | null;
  /** Members that it refuses, and without which the answer is one to the same question. */
  readonly refusedMembers: ReadonlySet<string>;
  /** Types of tools; null = any. */
  readonly toolTypes: ReadonlySet<string> | null;
  /** Types of items; null = any. */
  readonly itemTypes: ReadonlySet<string> | null;
  /** Members of items that it refuses, and that say nothing to a model. */
  readonly refusedItemMembers: readonly string[];
  /** Characters of ids and of keys of caches; null = any number. */
  readonly maxId: number | null;
  /** Whether the id of an item begins with the letters of its type, and is used once. */
  readonly typedIds: boolean;
  /** Whether each call has its output, and each output its call before it. */
  readonly pairedCalls: boolean;
  /** Whether parts of messages have the types that their role has. */
  readonly typedParts: boolean;
  readonly reasoningInput: (typeof REASONING_INPUTS)[number];
  /** Whether `include` may ask for encrypted reasoning. */
  readonly encryptsReasoning: boolean;
  /** Of `text.verbosity`; null = any. */
  readonly verbosities: readonly string[] | null;
  /** Whether JSON is only answered where the input speaks of it. */
  readonly jsonByWord: boolean;
  /** Of tools, schemas, images, reasoning and sampling: what it takes in a chat. */
  readonly chat: ChatContract;
}
