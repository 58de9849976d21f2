/**
 * The names of a request's tools in a chat. Anthropic allows 128 characters, OpenAI and hosts that copy it 64. Longer
 * names are cut and made unique by a hash.
 */
import { sha256Hex } from '../../base/ids.js';

/** Source: https://platform.openai.com/docs/api-reference/chat/create (`tools[].function.name`). */
const MAX_CHARACTERS = 64;
const HASH_DIGITS = 8;

export class ToolNames {
  /** The client's names, by the name in the chat. */
  readonly #original = new Map<string, string>();

  /** The name in the chat. The same name always gets the same one, in every request. */
  shorten(name: string): string {
    if (name.length <= MAX_CHARACTERS) return name;
    const hash = sha256Hex(name).slice(0, HASH_DIGITS);
    const short = `${name.slice(0, MAX_CHARACTERS - HASH_DIGITS - 1)}_${hash}`;
    this.#original.set(short, name);
    return short;
  }

  /** The client's name for a tool that the model calls. */
  restore(name: string): string {
    return this.#original.get(name) ?? name;
  }
}
