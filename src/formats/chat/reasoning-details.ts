/** Details of a model's reasoning, and how they are put together from the pieces that a stream has. */
import type { JsonObject } from '../json.js';

/** The member `format` of a detail, and of a message's blocks: whose models read them, after OpenRouter's names. */
export const REASONING_FORMAT = {
  anthropic: 'anthropic-claude-v1',
  google: 'google-gemini-v1',
  openai: 'openai-responses-v1',
  /** Of a text that nobody signed. */
  unsigned: 'unknown',
} as const;

/** Adds a detail; pieces of one text have the same index. Returns roughly how many characters were added. */
export function joinDetail(details: JsonObject[], detail: JsonObject): number {
  const last = details.at(-1);
  if (last === undefined || !isPieceOf(last, detail)) {
    details.push(detail);
    return JSON.stringify(detail).length;
  }
  const texts = TEXTS.filter((name) => last[name] !== undefined || detail[name] !== undefined);
  const joined = texts.map((name) => [name, `${last[name] ?? ''}${detail[name] ?? ''}`]);
  details[details.length - 1] = { ...last, ...detail, ...Object.fromEntries(joined) };
  return texts.reduce((sum, name) => sum + String(detail[name] ?? '').length, 0);
}

const TEXTS = ['text', 'summary'] as const;
const OF_ONE_TEXT = ['type', 'index', 'format', 'id'] as const;

function isPieceOf(last: JsonObject, detail: JsonObject): boolean {
  const hasText = TEXTS.some((name) => detail.type === `reasoning.${name}`);
  return hasText && detail.index !== undefined && OF_ONE_TEXT.every((name) => last[name] === detail[name]);
}
