/** Answers without the reasoning that led to them: it is metered and charged all the same. */
import type {
  AnswerChoice,
  AssistantMessage,
  ChatAnswer,
  ChatChunk,
  ChunkChoice,
} from '../../formats/chat/types.js';

/** The answer without its reasoning. */
export function withoutReasoning(answer: ChatAnswer): ChatAnswer {
  return { ...answer, choices: answer.choices.map(choiceWithoutReasoning) };
}

/** The chunk without its reasoning; undefined when it carries nothing else. */
export function chunkWithoutReasoning(chunk: ChatChunk): ChatChunk | undefined {
  if (!chunk.choices.some(({ delta }) => hasReasoning(delta))) return chunk;
  const choices = chunk.choices.map(pieceWithout).filter(saysAnything);
  return choices.length === 0 ? undefined : { ...chunk, choices };
}

type Said = Pick<AssistantMessage, 'reasoning'> & { readonly reasoning_details?: unknown };

function hasReasoning(said: object): boolean {
  return 'reasoning' in said || 'reasoning_details' in said;
}

/** A choice of an answer without its reasoning. */
export function choiceWithoutReasoning(choice: AnswerChoice): AnswerChoice {
  const { reasoning, reasoning_details, ...message }: AssistantMessage & Said = choice.message;
  return { ...choice, message };
}

function pieceWithout(choice: ChunkChoice): ChunkChoice {
  const { reasoning, reasoning_details, ...delta } = choice.delta;
  return { ...choice, delta };
}

function saysAnything({ delta, finish_reason, logprobs }: ChunkChoice): boolean {
  return Object.keys(delta).length > 0 || finish_reason !== null || logprobs !== null;
}
