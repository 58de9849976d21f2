import type { Clock } from '../../base/clock.js';
import type { Problem } from '../../base/problem.js';
import type { Lane } from '../../catalog/formats.js';
import type { Usage } from '../../formats/chat/types.js';
import type { Attempt } from '../../routing/types.js';
import type { UpstreamAnswer, UpstreamEvent } from './adapter.js';
import type { UpstreamFailure } from './failure.js';
import type { StreamUsage } from './stream-usage.js';

/**
 * How an API answers requests. Everything before that is the same for all APIs. `Piece` is what a stream consists of.
 */
export interface AnswerFormat<Whole extends object, Piece extends object> {
  /** Awaited before any part of the answer is written. Never rejects. */
  prepare?(answer: Answered): Promise<void>;
  /** What `whole` will leave out of the answer, by the names that its record gets. */
  omittedOf?(answer: Answered, result: UpstreamAnswer): readonly string[];
  whole(answer: Answered, result: UpstreamAnswer, usage: Usage): Whole;
  writer(answer: Answered, streamUsage: StreamUsage): StreamWriter<Piece>;
}

/** The request that is answered, and the attempt that answers it. */
export interface Answered {
  /** The id of the generation. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The request's own name for the model that served. */
  readonly model: string;
  readonly attempt: Attempt;
  readonly lane: Lane;
  /** Tells when the answer is complete. */
  readonly clock: Clock;
}

/** Writes one streamed answer. Events have been counted by the time they are written. */
export interface StreamWriter<Piece> {
  /** What it can keep of an answer until its end; none where it keeps nothing. Longer ones are no answers. */
  readonly maxCharacters?: number;
  /** Adds the pieces for an event. */
  write(event: UpstreamEvent, pieces: Piece[]): void;
  /** What is left out of the answer, so far or later, by the names that its record gets. */
  readonly omitted?: readonly string[];
  /** The pieces that end an answer which is cut off, before it is settled. */
  cutOff(): readonly Piece[];
  /** The last pieces of an answer that has been settled. */
  end(usage: Usage): readonly Piece[];
  /**
   * The last pieces of an answer that broke off. `failure` is null if the provider is not to blame, and `usage` if what
   * was sent could not be settled.
   */
  fail(problem: Problem, failure: UpstreamFailure | null, usage: Usage | null): readonly Piece[];
}
