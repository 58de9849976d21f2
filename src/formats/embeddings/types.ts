/** OpenAI's embeddings on the wire, plain JSON in snake_case: `docs/embeddings.md`. */
import type { RoutingMembers } from '../routing-members.js';

/** A request. Its members are unknown until they are read, since hosts have many of their own. */
export interface EmbeddingsBody extends RoutingMembers {
  readonly input?: unknown;
  readonly encoding_format?: string;
  readonly dimensions?: number;
  readonly input_type?: string;
  readonly [member: string]: unknown;
}

/** Lists of numbers, or base64 of 32-bit floats, least significant byte first. */
export type Encoding = 'float' | 'base64';

/** One embedding: its numbers, or the base64 that came of a host for a client that wants base64. */
export type Vector = Float64Array | string;
