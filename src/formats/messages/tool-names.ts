/**
 * The names of a request's tools in a chat. Anthropic takes 128 characters, OpenAI and those that copy it 64:
 * longer names are cut, and told apart by a hash.
 */
import { sha256Hex } from '../../base/ids.js';

/** https://platform.openai.com/docs/api-reference/chat/create (`tools[].function.name`) */
const MAX_CHARACTERS = 64;
const HASH_DIGITS = 8;

export class ToolNames {
  /** By the name in the chat. */
  readonly #original = new Map<string, string>();

  /** The name in the chat; the same for the same name, in every request. */
  shorten(name: string): string {
    if (name.length <= MAX_CHARACTERS) return name;
    const hash = sha256Hex(name).slice(0, HASH_DIGITS);
    const short = `${name.slice(0, MAX_CHARACTERS - HASH_DIGITS - 1)}_${hash}`;
    this.#original.set(short, name);
    return short;
  }

  /** The client's name of a tool that the model calls. */
  restore(name: string): string {
    return this.#original.get(name) ?? name;
  }
}
