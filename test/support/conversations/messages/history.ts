import { input } from '../arguments.js';
import { IDS, toolNames } from '../names.js';
import type { Rng } from '../rng.js';
import { plainSchema } from '../schemas.js';
import { longText, text } from '../words.js';
import type { Block, MessagesDraft, Turn } from './draft.js';

/** A request as agents send it: tools, calls with their results, ids of Claude. */
export function messagesHistory(rng: Rng): MessagesDraft {
  const names = rng.chance(0.85) ? toolNames(rng, 1 + rng.below(4)) : [];
  const turns = 1 + rng.below(4);
  const messages: Turn[] = [];
  for (let turn = 0; turn < turns; turn++) {
    say(messages, rng);
    if (turn < turns - 1 || rng.chance(0.5)) messages.push(...assistantTurn(rng, names, turn < turns - 1));
  }
  return {
    system: rng.chance(0.85) ? (rng.chance(0.5) ? longText(rng) : systemBlocks(rng)) : undefined,
    messages,
    tools: names.map((name) => ({ name, description: text(rng), input_schema: plainSchema(rng) })),
    betas: [],
    members: { max_tokens: 1000 + rng.below(30_000) },
  };
}

function systemBlocks(rng: Rng): Block[] {
  return Array.from({ length: 1 + rng.below(3) }, () => ({ type: 'text', text: text(rng) }));
}

function say(messages: Turn[], rng: Rng): void {
  messages.push({ role: 'user', content: rng.chance(0.5) ? text(rng) : [{ type: 'text', text: text(rng) }] });
}

function assistantTurn(rng: Rng, names: readonly string[], isAnswered: boolean): Turn[] {
  const rounds = names.length === 0 ? 0 : isAnswered ? rng.below(3) : 1 + rng.below(2);
  const turns: Turn[] = [];
  for (let round = 0; round < rounds; round++) {
    const calls = Array.from({ length: rng.chance(0.3) ? 2 + rng.below(2) : 1 }, () =>
      call(rng, rng.pick(names)),
    );
    const words = rng.chance(0.5) ? [{ type: 'text', text: text(rng) }] : [];
    turns.push({ role: 'assistant', content: [...words, ...calls] });
    turns.push({ role: 'user', content: calls.map(({ id }) => result(rng, String(id))) });
  }
  if (isAnswered)
    turns.push({
      role: 'assistant',
      content: rng.chance(0.5) ? text(rng) : [{ type: 'text', text: text(rng) }],
    });
  return turns;
}

export function call(rng: Rng, name: string): Block {
  return { type: 'tool_use', id: IDS.claude(rng), name, input: input(rng) };
}

export function result(rng: Rng, tool_use_id: string): Block {
  const words = rng.chance(0.3) ? JSON.stringify({ ok: true, file: text(rng) }) : text(rng);
  return {
    type: 'tool_result',
    tool_use_id,
    content: rng.chance(0.5) ? words : [{ type: 'text', text: words }],
  };
}
