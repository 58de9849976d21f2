/** The names of a request's tools in a chat: Anthropic allows 128 characters, OpenAI and hosts that copy it 64. */
import { chatToolName } from '../tool-name.js';

export class ToolNames {
  /** The client's names, by the name in the chat. */
  readonly #original = new Map<string, string>();

  /** The name in the chat. The same name always gets the same one, in every request. */
  shorten(name: string): string {
    const short = chatToolName(name);
    if (short !== name) this.#original.set(short, name);
    return short;
  }

  /** The client's name for a tool that the model calls. */
  restore(name: string): string {
    return this.#original.get(name) ?? name;
  }
}
