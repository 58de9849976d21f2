/** Removes reasoning from answers to requests that exclude it. It is metered and charged nevertheless. */
import type {
  AnswerChoice,
  AssistantMessage,
  ChatAnswer,
  ChatChunk,
  ChunkChoice,
  JsonObject,
} from '../../formats/chat/types.js';

export function withoutReasoning(answer: ChatAnswer): ChatAnswer {
  return { ...answer, choices: answer.choices.map(choiceWithoutReasoning) };
}

/** undefined if the chunk has nothing but reasoning. */
export function chunkWithoutReasoning(chunk: ChatChunk): ChatChunk | undefined {
  if (!chunk.choices.some(({ delta }) => hasReasoning(delta))) return chunk;
  const choices = chunk.choices.map(chunkChoiceWithoutReasoning).filter(hasContent);
  return choices.length === 0 ? undefined : { ...chunk, choices };
}

/** Some adapters add `reasoning_details`, a structured form of `reasoning`. */
type MessageWithReasoning = AssistantMessage & { readonly reasoning_details?: unknown };

export function choiceWithoutReasoning(choice: AnswerChoice): AnswerChoice {
  const { reasoning, reasoning_details, ...message }: MessageWithReasoning = choice.message;
  return { ...choice, message: { ...message, ...blocksWithoutReasoning(message) } };
}

function hasReasoning(delta: object): boolean {
  return 'reasoning' in delta || 'reasoning_details' in delta || 'provider_blocks' in delta;
}

function chunkChoiceWithoutReasoning(choice: ChunkChoice): ChunkChoice {
  const { reasoning, reasoning_details, ...delta } = choice.delta;
  return { ...choice, delta: { ...delta, ...blocksWithoutReasoning(delta) } };
}

/** Blocks of thoughts, in any of the formats. */
const THOUGHTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning']);

/** Some adapters add the provider's blocks as they came, thoughts included. */
function blocksWithoutReasoning({ provider_blocks: sent }: JsonObject): JsonObject {
  if (typeof sent !== 'object' || sent === null || !('blocks' in sent) || !Array.isArray(sent.blocks))
    return {};
  const blocks = sent.blocks.filter(({ type }) => !THOUGHTS.has(type));
  return { provider_blocks: { ...sent, blocks } };
}

function hasContent({ delta, finish_reason, logprobs }: ChunkChoice): boolean {
  return Object.keys(delta).length > 0 || finish_reason !== null || logprobs !== null;
}
