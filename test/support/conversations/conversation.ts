import { exactText } from './exact-json.js';

export interface Conversation {
  readonly seed: number;
  /** The request's body; integers beyond 2^53 are bigints. */
  readonly body: { readonly [member: string]: unknown };
  /** The body as it is sent: bigints as numbers, halves of surrogate pairs as escapes. */
  readonly text: string;
  /** Beta features that it asks for by its header. */
  readonly betas: readonly string[];
  /** What is odd about it, in the words of the tables of oddities. */
  readonly oddities: readonly string[];
}

export function conversation(
  seed: number,
  body: Conversation['body'],
  oddities: readonly string[],
  betas: readonly string[] = [],
): Conversation {
  return { seed, body, text: exactText(body), betas, oddities };
}
