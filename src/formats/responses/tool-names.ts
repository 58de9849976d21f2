/** What the tools of a request are called in a chat, in which all tools are functions, and back. */

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
