/** What the tools of a request are called in a chat, in which all tools are functions, and back. */
import { chatToolName } from '../tool-name.js';

/** A tool as its client knows it. */
export interface ClientTool {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  readonly namespace: string | null;
}

/** By the name of the function in the chat. A function that the request does not name is called as it is. */
export interface ToolNames {
  toolOf(name: string): ClientTool;
}

const BETWEEN = '__';

/** The name of the function in a chat: the same in every request. */
export function nameInChat({ name, namespace }: Pick<ClientTool, 'name' | 'namespace'>): string {
  return chatToolName(namespace === null ? name : `${namespace}${BETWEEN}${name}`);
}

export class DeclaredTools implements ToolNames {
  readonly #tools = new Map<string, ClientTool>();

  /** The name in the chat; null where another tool has it. A tool may be declared again. */
  declare(tool: ClientTool): string | null {
    const name = nameInChat(tool);
    const known = this.#tools.get(name);
    if (known !== undefined && !isSame(known, tool)) return null;
    this.#tools.set(name, tool);
    return name;
  }

  toolOf(name: string): ClientTool {
    return this.#tools.get(name) ?? { kind: 'function', name, namespace: null };
  }
}

function isSame(one: ClientTool, other: ClientTool): boolean {
  return one.kind === other.kind && one.name === other.name && one.namespace === other.namespace;
}
