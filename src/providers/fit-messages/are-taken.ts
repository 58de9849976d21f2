import type { MessagesContract } from '../../catalog/messages-contract.js';
import { elements, isObject, type JsonObject, members } from '../../formats/json.js';
import { isBlank } from './blocks.js';
import { callingIdOf, isServerCall, isServerResult } from './server-calls.js';

/** Ids of calls. */
export const PLAIN_ID = /^[a-zA-Z0-9_-]+$/;

/** Claude's signatures and redacted thoughts are base64: https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Whether Claude did not sign the thought, as far as that can be seen. */
export function isForeignThought({ type, signature, data }: Readonly<Record<string, unknown>>): boolean {
  const signed = type === 'thinking' ? signature : data;
  return typeof signed !== 'string' || !BASE64.test(signed);
}

/** Whether the turns are such as the host takes them, each call with its result. */
export function areTaken(messages: readonly unknown[], contract: MessagesContract): boolean {
  if (members(messages[0]).role !== 'user') return false;
  const reading = new TurnReading(contract);
  return messages.every((message) => reading.takes(message)) && reading.isOver;
}

class TurnReading {
  readonly #contract: MessagesContract;
  readonly #used = new Set<unknown>();
  /** Calls of the assistant's turn that have no result yet. */
  readonly #open = new Set<unknown>();
  #role: unknown;
  /** Whether the user's turn has said something else than results. */
  #isTalking = false;
  /** The last text, or nothing where something else came last. */
  #end: unknown;
  #isPaused = false;
  #isThoughtLast = false;
  /** Calls that the host runs itself, and whether they wait for something. */
  readonly #served = new Map<unknown, boolean>();

  constructor(contract: MessagesContract) {
    this.#contract = contract;
  }

  takes(message: unknown): boolean {
    if (!isObject(message)) return false;
    const { role, content } = message;
    if (role !== this.#role && !this.#turnTo(role)) return false;
    this.#end = content;
    this.#isThoughtLast = false;
    if (typeof content === 'string') {
      this.#isTalking = true;
      return content.trim() !== '';
    }
    return Array.isArray(content) && content.length > 0 && content.every((block) => this.#takesBlock(block));
  }

  get isOver(): boolean {
    if (this.#open.size > 0) return false;
    if (this.#role !== 'assistant') return true;
    if (this.#isThoughtLast && this.#contract.signedThoughts) return false;
    if (this.#isPaused) return true;
    return this.#contract.prefill && (typeof this.#end !== 'string' || !/\s$/.test(this.#end));
  }

  #turnTo(role: unknown): boolean {
    const before = this.#role;
    this.#role = role;
    this.#isPaused = false;
    if (role === 'user') {
      this.#isTalking = before === 'system';
      return ![...this.#served.values()].includes(true);
    }
    if (this.#open.size > 0) return false;
    return role === 'assistant' || (role === 'system' && this.#contract.systemTurns && before === 'user');
  }

  #takesBlock(block: unknown): boolean {
    if (!isObject(block)) return false;
    this.#end = undefined;
    this.#isThoughtLast = false;
    if (isServerCall(block)) this.#served.set(block.id, true);
    if (isServerResult(block)) return this.#takesServerResult(block);
    switch (block.type) {
      case 'text':
        this.#isTalking = true;
        this.#end = block.text;
        return !isBlank(block.text);
      case 'tool_use':
        if (this.#served.has(callingIdOf(block))) this.#served.set(callingIdOf(block), false);
        return this.#takesCall(block.id, block.input);
      case 'tool_result':
        return (
          !this.#isTalking &&
          this.#open.delete(block.tool_use_id) &&
          !elements(block.content).some(isBlankText)
        );
      case 'thinking':
      case 'redacted_thinking':
        this.#isThoughtLast = true;
        return !this.#contract.signedThoughts || !isForeignThought(block);
      case 'server_tool_use':
      case 'mcp_tool_use':
        this.#isPaused = true;
        return true;
      default:
        this.#isTalking = true;
        return true;
    }
  }

  #takesServerResult({ tool_use_id }: JsonObject): boolean {
    const isKnown = this.#served.has(tool_use_id);
    this.#served.set(tool_use_id, false);
    this.#isTalking = true;
    return isKnown;
  }

  #takesCall(id: unknown, input: unknown): boolean {
    if (typeof id !== 'string' || !PLAIN_ID.test(id) || this.#used.has(id)) return false;
    this.#used.add(id);
    this.#open.add(id);
    return isObject(input);
  }
}

function isBlankText(block: unknown): boolean {
  const { type, text } = members(block);
  return type === 'text' && isBlank(text);
}
