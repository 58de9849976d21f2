import { deltasOf } from '../../chat/thought-positions.js';
import type { AnswerChoice, ChatAnswer, ChunkDelta } from '../../chat/types.js';
import { elements, members } from '../../json.js';
import type { ResponseObject } from '../types.js';
import { type ItemRules, ItemWriter, type Unplaced } from './item-writer.js';
import { incompleteBy, type ResponseHead, responseEnding, responseObject } from './response.js';

/** Translates a chat's answer, which was complete at `at` (Unix seconds). */
export function responsesAnswer(
  answer: ChatAnswer,
  head: ResponseHead,
  rules: ItemRules,
  at: number,
): ResponseObject {
  const [choice] = answer.choices;
  const { output } = written(choice, head.id, rules);
  const incomplete = incompleteBy(choice?.finish_reason ?? 'stop');
  return responseObject(head, {
    ...{ output, usage: answer.usage, tier: answer.service_tier },
    ...responseEnding(incomplete, output, at),
  });
}

/** What the translated answer lacks. */
export function unplacedIn(
  choice: AnswerChoice | undefined,
  id: string,
  rules: ItemRules,
): readonly Unplaced[] {
  return written(choice, id, rules).unplaced;
}

function written(choice: AnswerChoice | undefined, id: string, rules: ItemRules): ItemWriter {
  const writer = new ItemWriter(id, rules);
  if (choice === undefined) return writer;
  const [first = {}, ...others] = withPlacedAnnotations(deltasOf(choice.message));
  writer.write(first, choice.logprobs);
  for (const delta of others) writer.write(delta);
  writer.end(incompleteBy(choice.finish_reason) === undefined ? 'completed' : 'cut');
  return writer;
}

/** Each annotation with the text that it is about, as in a stream. */
function withPlacedAnnotations(deltas: readonly ChunkDelta[]): readonly ChunkDelta[] {
  const all = deltas.flatMap(({ annotations }) => elements(annotations));
  if (all.length === 0 || deltas.length === 1) return deltas;
  let end = 0;
  let rest = all;
  return deltas.map(({ annotations, ...delta }) => {
    if (!delta.content) return delta;
    end += delta.content.length;
    const placed = rest.filter((annotation) => startOf(annotation) < end);
    rest = rest.filter((annotation) => startOf(annotation) >= end);
    return placed.length === 0 ? delta : { ...delta, annotations: placed };
  });
}

function startOf(annotation: unknown): number {
  const { url_citation, start_index } = members(annotation);
  const start = members(url_citation).start_index ?? start_index;
  return typeof start === 'number' ? start : 0;
}
