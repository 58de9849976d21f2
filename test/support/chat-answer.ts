/** The answer to a chat as a client has it, whether it came in one piece or streamed. */
import { expect } from 'vitest';
import { type Chunk, chunksOf } from './platforms.js';
import { type Answer, bodyOf, type Row } from './rest.js';

/** The assistant's message and its finish reason. */
export interface ChatAnswer {
  readonly message: Row & {
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { readonly arguments: string };
    }[];
  };
  readonly finish_reason: string | null;
  readonly native_finish_reason?: string | null;
}

/** The first choice of a complete answer in this form. */
export function answerIn(answer: Answer, stream: boolean): ChatAnswer {
  return stream ? assembled(answer) : (bodyOf(answer).choices as [ChatAnswer])[0];
}

/** Assembled as clients do it. */
function assembled(answer: Answer): ChatAnswer {
  const { chunks, isDone } = chunksOf(answer);
  expect(isDone).toBe(true);
  const all = (member: string) => chunks.flatMap(({ choices }) => choices[0]?.delta[member] ?? []);
  const text = (member: string) => all(member).join('');
  const details = all('reasoning_details');
  const calls = callsIn(all('tool_calls') as Fragment[]);
  const [last] = chunks.findLast(({ choices }) => choices[0]?.finish_reason)?.choices ?? [];
  return {
    message: {
      role: 'assistant',
      content: text('content') || null,
      refusal: null,
      ...(text('reasoning') !== '' && { reasoning: text('reasoning') }),
      ...(details.length > 0 && { reasoning_details: details }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    ...(last as Chunk['choices'][number]),
  };
}

interface Fragment {
  readonly index: number;
  readonly id?: string;
  readonly function: { readonly name?: string; readonly arguments: string };
}

function callsIn(fragments: readonly Fragment[]) {
  const openings = fragments.filter(({ id }) => id !== undefined);
  expect(openings.map(({ index }) => index)).toEqual(openings.map((_, index) => index));
  return openings.map(({ index, id = '', function: { name } }) => {
    const pieces = fragments.filter((fragment) => fragment.index === index);
    const text = pieces.map((piece) => piece.function.arguments).join('');
    return { id, type: 'function', function: { name, arguments: text } };
  });
}
