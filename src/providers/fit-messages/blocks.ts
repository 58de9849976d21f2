/** Messages and the blocks in them. */
import type { JsonObject } from '../../formats/chat/types.js';
import { isObject } from '../../formats/json.js';
import { mapped } from '../fit/step.js';

/** A content block; its members are unknown until they are read. */
export type Block = JsonObject;

/** A turn that is being made to fit. */
export interface Turn {
  readonly role: string;
  readonly content: readonly Block[];
}

const NONE: readonly never[] = [];

/** The blocks of a content, a text as one block. */
export function asBlocks(content: unknown): readonly Block[] {
  if (typeof content === 'string') return [textBlock(content)];
  return Array.isArray(content) ? content.filter(isObject) : NONE;
}

export function textBlock(text: string): Block {
  return { type: 'text', text };
}

export function isToolResult({ type }: Block): boolean {
  return type === 'tool_result';
}

export function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

/** What to do with the blocks of a kind. `path` is that of the block in the request: `messages[3].content[0]`. */
export interface BlockChange {
  isMeant(block: Block): boolean;
  change(block: Block, path: string): Block;
}

/** The messages with each block that is meant changed, those inside results too; the very list where none is. */
export function eachBlock(messages: readonly unknown[], change: BlockChange): readonly unknown[] {
  return mapped(messages, (message, at) => {
    if (!isObject(message) || !Array.isArray(message.content)) return message;
    const content = changedBlocks(message.content, change, 'messages', at);
    return content === message.content ? message : { ...message, content };
  });
}

/** As `eachBlock`, for one content, which is that of the element `at` of `list`. */
export function changedBlocks(
  content: readonly unknown[],
  change: BlockChange,
  list: string,
  at: number,
): readonly unknown[] {
  return mapped(content, (block, index) => {
    if (!isObject(block)) return block;
    const changed = change.isMeant(block) ? change.change(block, `${list}[${at}].content[${index}]`) : block;
    if (!isToolResult(changed) || !Array.isArray(changed.content)) return changed;
    const inner = changedBlocks(changed.content, change, `${list}[${at}].content`, index);
    return inner === changed.content ? changed : { ...changed, content: inner };
  });
}
