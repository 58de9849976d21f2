import type { Violation } from '../../base/problem.js';

/** More than anybody reads. */
const MAX_VIOLATIONS = 100;

/** What reading a request comes upon beside what it translates. */
export class Findings {
  readonly #omitted = new Set<string>();
  readonly #nativeOnly = new Set<string>();
  readonly violations: Violation[] = [];

  get omitted(): readonly string[] {
    return [...this.#omitted];
  }

  get nativeOnly(): readonly string[] {
    return [...this.#nativeOnly];
  }

  omit(name: string): void {
    this.#omitted.add(name);
  }

  demand(name: string): void {
    this.#nativeOnly.add(name);
  }

  refuse(field: string, rule: string, message: string): void {
    if (this.violations.length < MAX_VIOLATIONS) this.violations.push({ field, rule, message });
  }
}
