/** OpenAI's text completions on the wire, plain JSON in snake_case: `docs/formats.md#text-completions`. */
import type { RoutingMembers } from '../routing-members.js';

/** A request. Its members are unknown until they are read, since hosts have many of their own. */
export interface CompletionBody extends RoutingMembers {
  readonly prompt?: unknown;
  readonly suffix?: unknown;
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly [member: string]: unknown;
}
