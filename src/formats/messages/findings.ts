import type { Violation } from '../../base/problem.js';
import type { PlacedThought } from '../chat/thought-places.js';
import type { ChatMessage, JsonObject } from '../chat/types.js';

/** More than anybody reads. */
const MAX_VIOLATIONS = 100;

/** Of what is left out or demanded; names are the request's own, and are kept with its record. */
const MAX_NAMES = 100;
const MAX_NAME_CHARACTERS = 128;

/** What reading a request comes upon beside what it translates. */
export class Findings {
  readonly #omitted = new Set<string>();
  readonly #nativeOnly = new Set<string>();
  readonly violations: Violation[] = [];
  /** The thoughts of messages that carry marks. */
  readonly sealed = new Map<ChatMessage, readonly PlacedThought<JsonObject>[]>();

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
