/** The words in which hosts say at which prices they bill: `docs/catalog.md#price-modes`. */
import { type AdapterName, MODE_KINDS, type ModeKind, type PriceMode } from './types.js';

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

/** A host's word for a tier, a speed or a place. */
export const MODE_WORD = /^[A-Za-z0-9][\w.:-]{0,63}$/;

/** The form in which words are compared: hosts write them in any case. */
export function modeWord(word: string): string {
  return word.trim().toLowerCase();
}

/** Whether the word, in the form of `modeWord`, is one of the base. */
export function isBaseWord(kind: ModeKind, word: string): boolean {
  return word === '' || BASE.has(word) || BASE_OF[kind].has(word);
}

/** Whether the value of `inference_geo` is a place; what is no text asks for none. */
export function asksForGeo(value: unknown): value is string {
  return typeof value === 'string' && !isBaseWord('inference_geo', modeWord(value));
}

/** The words that are not of the base; the same object for all requests without any. */
export function modeOf(said: Readonly<Partial<Record<ModeKind, unknown>>>): ModeWords {
  let words: Partial<Record<ModeKind, string>> | undefined;
  for (const kind of MODE_KINDS) {
    const value = said[kind];
    if (typeof value !== 'string') continue;
    const word = modeWord(value);
    if (isBaseWord(kind, word)) continue;
    words ??= {};
    words[kind] = word;
  }
  return words ?? BASE_MODE;
}

/** Whether the words are for capacity that was paid before, at hosts with this adapter alone. */
export function isPaidBefore({ service_tier }: ModeWords, adapter: AdapterName): boolean {
  return adapter === 'anthropic' && service_tier === 'priority';
}

/** Two names of one tier: OpenAI, which had called it `priority`, calls it `fast` since July 2026, and answers say either. */
const OTHER_NAME: ReadonlyMap<string, string> = new Map([
  ['fast', 'priority'],
  ['priority', 'fast'],
]);

/** The words with the name of the tier that entries have, where that is the other one of two. */
export function namedAsIn(modes: readonly PriceMode[] | undefined, mode: ModeWords): ModeWords {
  const { service_tier = '' } = mode;
  const other = OTHER_NAME.get(service_tier);
  if (other === undefined || modes === undefined) return mode;
  const isNamed = (word: string) =>
    modes.some(({ words, isBatch }) => !isBatch && words.service_tier === word);
  return !isNamed(service_tier) && isNamed(other) ? { ...mode, service_tier: other } : mode;
}

/** The modes of a single request that no entry names which may apply to it, whatever the length of its prompt. */
export function unpricedModes(modes: readonly PriceMode[] | undefined, mode: ModeWords): readonly string[] {
  if (mode === BASE_MODE) return NONE;
  return MODE_KINDS.flatMap((kind) => {
    const word = mode[kind];
    const isPriced =
      word === undefined ||
      modes?.some(
        ({ words, isBatch }) =>
          !isBatch &&
          words[kind] === word &&
          MODE_KINDS.every((other) => words[other] === undefined || words[other] === mode[other]),
      );
    return isPriced ? [] : [`${kind}:${word}`];
  });
}

const NONE: readonly string[] = [];
