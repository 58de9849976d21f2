import type { Problem } from '../../base/problem.js';
import type { Lane } from '../../catalog/formats.js';
import type { Usage } from '../../formats/chat/types.js';
import type { Attempt } from '../../routing/types.js';
import type { UpstreamAnswer, UpstreamEvent } from './adapter.js';
import type { UpstreamFailure } from './failure.js';
import type { StreamUsage } from './stream-usage.js';

/**
 * How one API answers a request: the border of the pipeline, which is the same for all of them. `Piece` is what a
 * stream is made of.
 */
export interface AnswerFormat<Whole extends object, Piece extends object> {
  /** Awaited before anything of the answer is written. Never rejects. */
  prepare?(answer: Answered): Promise<void>;
  /** What `whole` will leave out of the answer, named for its record. */
  omittedOf?(answer: Answered, result: UpstreamAnswer): readonly string[];
  whole(answer: Answered, result: UpstreamAnswer, usage: Usage): Whole;
  writer(answer: Answered, streamUsage: StreamUsage): StreamWriter<Piece>;
}

/** The request that is answered, and the attempt that answers it. */
export interface Answered {
  /** Of the generation. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The served model by the name that the request has for it. */
  readonly model: string;
  readonly attempt: Attempt;
  readonly lane: Lane;
}

/** Writes one streamed answer. What is counted of an event has been counted when it is written. */
export interface StreamWriter<Piece> {
  /** Adds the pieces that the event becomes. */
  write(event: UpstreamEvent, pieces: Piece[]): void;
  /** What the pieces so far and those to come leave out of the answer, named for its record. */
  readonly omitted?: readonly string[];
  /** What ends an answer that is cut off, before it is settled. */
  cutOff(): readonly Piece[];
  /** The last pieces of an answer, once it is settled. */
  end(usage: Usage): readonly Piece[];
  /** The last pieces of an answer that broke off; `failure` null where the provider is not to blame. */
  fail(problem: Problem, failure: UpstreamFailure | null): readonly Piece[];
}
