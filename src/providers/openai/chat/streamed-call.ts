import type { ToolCall } from '../../../formats/chat/types.js';
import { JsonEnd } from '../../../formats/json-end.js';

/** Longer arguments are not kept: a host that sends a call once more sends a short one. */
const MAX_KEPT_CHARACTERS = 64 * 1024;

/** A call of a stream, as it grows. */
export class StreamedCall {
  /** Position among the calls of its choice, which may differ from the host's index. */
  readonly index: number;
  readonly id: string;
  /** The host's first; undefined while it has given none. */
  hostId: string | undefined;
  name: string | undefined;
  type = 'function';
  /** What came beside a name that is not whole yet. */
  held: Partial<ToolCall> = {};
  /** Whether a fragment has gone out. */
  isOpened = false;
  /** Whether a fragment with the name has gone out. */
  isNameSent = false;
  isFunction = false;
  hasArguments = false;
  readonly #end = new JsonEnd();
  #unread = '';
  #kept: string | undefined = '';

  constructor(index: number, id: string) {
    this.index = index;
    this.id = id;
  }

  /** Whether the arguments are a whole JSON object. */
  get isComplete(): boolean {
    // Read only where it matters, which it does not at hosts that number their calls.
    this.#readOn();
    return this.#end.isReached;
  }

  #readOn(): void {
    if (this.#unread !== '') this.#end.read(this.#unread);
    this.#unread = '';
  }

  /** The beginning of its first fragment; empty for later ones. */
  open(): Partial<ToolCall> {
    if (this.isOpened) return {};
    this.isOpened = true;
    return { id: this.id, type: this.type, ...this.held };
  }

  add(text: string): void {
    this.isFunction = true;
    if (text === '') return;
    this.hasArguments = true;
    this.#unread += text;
    if (this.#unread.length > MAX_KEPT_CHARACTERS) this.#readOn();
    if (this.#kept === undefined) return;
    this.#kept = this.#kept.length + text.length > MAX_KEPT_CHARACTERS ? undefined : this.#kept + text;
  }

  /** Whether these are all the arguments that have come. */
  isWhole(text: string): boolean {
    return text === this.#kept;
  }
}

export function isBlank(text: string): boolean {
  return text === '' || text.trim() === '';
}

/** Whether arguments may begin so. */
export function isBeginning(text: string): boolean {
  return text.trimStart().startsWith('{');
}
