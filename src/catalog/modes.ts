/** The words in which hosts say at which prices they bill: `docs/catalog.md#price-modes`. */
import type { ModeKind, PriceMode } from './types.js';

/** Words of a request or an answer, by kind, in lower case; absent = the base. */
export type ModeWords = PriceMode['words'];

/** Of requests that ask for nothing special. */
export const BASE_MODE: ModeWords = {};

/** Words of any kind that ask for, or tell, the usual. */
const BASE: ReadonlySet<string> = new Set(['auto', 'default', 'standard', 'standard_only', 'on_demand']);

/** Words of one kind, capacity among them that was paid before. */
const BASE_OF: Readonly<Record<ModeKind, ReadonlySet<string>>> = {
  service_tier: new Set(['provisioned_throughput', 'reserved', 'scale']),
  speed: new Set(),
  inference_geo: new Set(['global', 'not_available']),
};

/** The form in which words are compared: hosts write them in any case. */
export function modeWord(word: string): string {
  return word.trim().toLowerCase();
}

/** Whether the word, in the form of `modeWord`, is one of the base. */
export function isBaseWord(kind: ModeKind, word: string): boolean {
  return word === '' || BASE.has(word) || BASE_OF[kind].has(word);
}
