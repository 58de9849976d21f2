import { sha256Hex } from '../base/ids.js';

/** Source: https://platform.openai.com/docs/api-reference/chat/create (`tools[].function.name`). */
const MAX_CHARACTERS = 64;
const HASH_DIGITS = 8;

/** The name, cut and with a hash where it is longer than a chat's may be. The same name always gets the same one. */
export function chatToolName(name: string): string {
  if (name.length <= MAX_CHARACTERS) return name;
  const hash = sha256Hex(name).slice(0, HASH_DIGITS);
  return `${name.slice(0, MAX_CHARACTERS - HASH_DIGITS - 1)}_${hash}`;
}
