import type { Rng } from '../rng.js';

/** A request to the Messages API that is being made; its oddities change it. */
export interface MessagesDraft {
  system: string | Block[] | undefined;
  messages: Turn[];
  tools: Tool[];
  betas: string[];
  /** All other members of the body. */
  members: { [name: string]: unknown };
}

export interface Turn {
  role: string;
  content: string | Block[];
}

export interface Block {
  type: string;
  [member: string]: unknown;
}

export interface Tool {
  name: string;
  [member: string]: unknown;
}

/** Changes a draft, or says that there is no place for it. */
export type Oddity = (draft: MessagesDraft, rng: Rng) => boolean;

/** The content as blocks, whatever it is. */
export function blocksOf(turn: Turn): Block[] {
  if (typeof turn.content !== 'string') return turn.content;
  const blocks: Block[] = turn.content === '' ? [] : [{ type: 'text', text: turn.content }];
  turn.content = blocks;
  return blocks;
}

export function turnsOf(draft: MessagesDraft, role: string): Turn[] {
  return draft.messages.filter((turn) => turn.role === role);
}

/** Turns of the user that say something, rather than being results alone. */
export function sayings(draft: MessagesDraft): Turn[] {
  return turnsOf(draft, 'user').filter(
    ({ content }) => typeof content === 'string' || content.some(({ type }) => type === 'text'),
  );
}

export function allBlocks(draft: MessagesDraft, type: string): Block[] {
  return draft.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter((block) => block.type === type),
  );
}

/** Gives a call another id, and its results too. */
export function renameId(draft: MessagesDraft, call: Block, id: string): void {
  for (const result of allBlocks(draft, 'tool_result'))
    if (result.tool_use_id === call.id) result.tool_use_id = id;
  call.id = id;
}

/** Changes one of the values; false where there is none. */
export function change<T>(rng: Rng, values: readonly T[], how: (value: T) => void): boolean {
  if (values.length === 0) return false;
  how(rng.pick(values));
  return true;
}
