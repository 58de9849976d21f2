import { inputText } from '../arguments.js';
import { IDS, toolNames } from '../names.js';
import type { Rng } from '../rng.js';
import { plainSchema } from '../schemas.js';
import { longText, text } from '../words.js';
import type { Call, ChatDraft, Message } from './draft.js';

/** A chat as agents have it: tools, calls with their results, ids of one provider. */
export function chatHistory(rng: Rng): ChatDraft {
  const names = rng.chance(0.85) ? toolNames(rng, 1 + rng.below(4)) : [];
  const messages: Message[] = [];
  if (rng.chance(0.85)) messages.push({ role: 'system', content: longText(rng) });
  const turns = 1 + rng.below(4);
  for (let turn = 0; turn < turns; turn++) {
    messages.push({ role: 'user', content: text(rng) });
    if (turn < turns - 1 || rng.chance(0.5)) messages.push(...assistantTurn(rng, names, turn < turns - 1));
  }
  return {
    messages,
    tools: names.map((name) => ({
      type: 'function',
      function: { name, description: text(rng), parameters: plainSchema(rng) },
    })),
    members: {},
  };
}

/** Calls and results, and at its end an answer in words unless the model is to go on from the results. */
function assistantTurn(rng: Rng, names: readonly string[], isAnswered: boolean): Message[] {
  const rounds = names.length === 0 ? 0 : isAnswered ? rng.below(3) : 1 + rng.below(2);
  const messages: Message[] = [];
  for (let round = 0; round < rounds; round++) {
    const calls = Array.from({ length: rng.chance(0.3) ? 2 + rng.below(2) : 1 }, () =>
      call(rng, rng.pick(names)),
    );
    messages.push({ role: 'assistant', content: rng.chance(0.5) ? text(rng) : null, tool_calls: calls });
    for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: resultText(rng) });
  }
  if (isAnswered) messages.push({ role: 'assistant', content: text(rng) });
  return messages;
}

export function call(rng: Rng, name: string): Call {
  return { id: IDS.openai(rng), type: 'function', function: { name, arguments: inputText(rng) } };
}

export function resultText(rng: Rng): string {
  return rng.chance(0.3)
    ? JSON.stringify({ ok: rng.chance(0.8), file: text(rng), n: rng.below(99) })
    : text(rng);
}
