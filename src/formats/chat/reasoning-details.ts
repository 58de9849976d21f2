/** Puts the details of a model's reasoning together from the pieces that a stream has. */
import type { JsonObject } from '../json.js';

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
