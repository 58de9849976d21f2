import type { Violation } from '../../base/problem.js';
import type { ChatMessage } from '../chat/types.js';
import type { MarkedThoughts } from './sealed-thoughts.js';

/** Maximum of violations in an answer; nobody reads more. */
const MAX_VIOLATIONS = 100;

/** Maximum of names that are omitted or demanded. They come from the request and are stored with its record. */
const MAX_NAMES = 100;
const MAX_NAME_CHARACTERS = 128;

/** What is found while a request is read as a chat, besides its translation. */
export class Findings {
  readonly #omitted = new Set<string>();
  readonly #nativeOnly = new Set<string>();
  readonly violations: Violation[] = [];
  /** The thoughts of messages that carry marks. */
  readonly sealed = new Map<ChatMessage, MarkedThoughts>();

  get omitted(): readonly string[] {
    return [...this.#omitted];
  }

  get nativeOnly(): readonly string[] {
    return [...this.#nativeOnly];
  }

  omit(name: string): void {
    addName(this.#omitted, name);
  }

  demand(name: string): void {
    addName(this.#nativeOnly, name);
  }

  refuse(field: string, rule: string, message: string): void {
    if (this.violations.length < MAX_VIOLATIONS) this.violations.push({ field, rule, message });
  }
}

function addName(names: Set<string>, name: string): void {
  if (names.size < MAX_NAMES) names.add(name.slice(0, MAX_NAME_CHARACTERS));
}
