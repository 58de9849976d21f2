/** Answers of the cache, as their requests want them. */
import type { FoundAnswer } from '../cache/inference-cache.js';
import { normalizedOf } from '../ports/adapter.js';
import type { AnswerFormat } from '../ports/answer-format.js';
import { StreamUsage } from '../ports/stream-usage.js';
import { eventsOf } from '../ports/whole-answer.js';
import type { InferenceRun } from '../run/run.js';

interface AnswerTo<Whole extends object, Piece extends object> {
  readonly format: AnswerFormat<Whole, Piece>;
  /** Called before any part of the answer, with the members that had been adapted for it. */
  readonly onServed: ((adapted: readonly string[]) => void) | undefined;
}

/** Resolves once it is recorded. */
export async function wholeOfCache<Whole extends object>(
  run: InferenceRun,
  hit: FoundAnswer,
  { format, onServed }: AnswerTo<Whole, object>,
): Promise<Whole> {
  const answered = run.answeredBy(hit.attempt);
  run.firstContent();
  onServed?.(hit.kept.adapted);
  await format.prepare?.(answered);
  return format.whole(answered, hit.kept.answer, await run.settleCached(hit));
}

/** All pieces of it, once it is recorded. */
export async function piecesOfCache<Piece extends object>(
  run: InferenceRun,
  hit: FoundAnswer,
  { format, onServed }: AnswerTo<object, Piece>,
): Promise<readonly Piece[]> {
  const answered = run.answeredBy(hit.attempt);
  run.firstContent();
  onServed?.(hit.kept.adapted);
  await format.prepare?.(answered);
  const streamUsage = new StreamUsage(run.choices, run.boundsAt(hit.attempt));
  const writer = format.writer(answered, streamUsage);
  const pieces: Piece[] = [];
  for (const event of eventsOf(normalizedOf(hit.kept.answer))) {
    streamUsage.add(event);
    writer.write(event, pieces);
  }
  return [...pieces, ...writer.end(await run.settleCached(hit))];
}
