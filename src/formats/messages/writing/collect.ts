import { parseExact } from '../../../base/json/bounded/read-json.js';
import { members, textOf } from '../../json.js';
import type { ContentBlock, MessagesEvent } from '../types.js';

/** The blocks that clients assemble from these events. Arguments that are not a JSON object are left out. */
export function blocksIn(events: readonly MessagesEvent[]): ContentBlock[] {
  const growing: Growing[] = [];
  for (const event of events) {
    if (event.type === 'content_block_start') growing.push({ start: event.content_block, text: '' });
    const last = growing.at(-1);
    if (event.type === 'content_block_delta' && last !== undefined) add(last, event.delta);
  }
  return growing.map(blockOf);
}

interface Growing {
  readonly start: ContentBlock;
  /** The text, thought or arguments so far. */
  text: string;
  signature?: string;
}

function add(growing: Growing, { text, thinking, partial_json, signature }: ContentBlock): void {
  growing.text += textOf(text) ?? textOf(thinking) ?? textOf(partial_json) ?? '';
  if (typeof signature === 'string') growing.signature = signature;
}

function blockOf({ start, text, signature }: Growing): ContentBlock {
  switch (start.type) {
    case 'text':
      return { ...start, text };
    case 'thinking':
      return { ...start, thinking: text, signature: signature ?? '' };
    case 'tool_use':
      return { ...start, input: inputOf(text) };
    default:
      return start;
  }
}

function inputOf(text: string): object {
  try {
    return members(parseExact(text));
  } catch {
    return {};
  }
}
