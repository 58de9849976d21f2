/** Prices in modes of an endpoint or a provider: `docs/catalog.md#price-modes`. */
import { parseDecimal } from '../../base/money.js';
import type { JsonReader } from '../input/json-reader.js';
import { isBaseWord, MODE_WORD, modeWord } from '../modes.js';
import { MODE_KINDS, type ModeKind, type PriceMode, TOKEN_PRICE_KEYS, type TokenPriceKey } from '../types.js';
import { readPrices } from './read-pricing.js';

/** Far more than any host has. */
const MAX_PRICE_MODES = 100;

/** The dearest mode known is twelve times the base. A multiplier beyond this is taken for a mistake. */
const MAX_MULTIPLIER = 100;

const MEMBERS = [...MODE_KINDS, 'batch', 'min_prompt_tokens', 'multiplier', ...TOKEN_PRICE_KEYS];

export function readPriceModes(at: JsonReader): PriceMode[] {
  return at.list(readPriceMode, MAX_PRICE_MODES);
}

function readPriceMode(at: JsonReader): PriceMode {
  const member = at.object(MEMBERS);
  const words: Partial<Record<ModeKind, string>> = {};
  for (const kind of MODE_KINDS) {
    const word = member(kind).orNull((value) => readWord(value, kind));
    if (word !== null) words[kind] = word;
  }
  const isBatch = member('batch').orNull(readTrue) === true;
  if (!isBatch && MODE_KINDS.every((kind) => isAbsent(member(kind))))
    at.violation('condition', `needs at least one of ${MODE_KINDS.join(', ')}, batch`);
  const prompt = member('prompt').orNull((value) => value.price());
  const completion = member('completion').orNull((value) => value.price());
  return {
    words,
    isBatch,
    minPromptTokens: member('min_prompt_tokens').orNull((number) =>
      number.number(0, Number.MAX_SAFE_INTEGER),
    ),
    multiplier: member('multiplier').orNull(readMultiplier),
    prices: {
      ...(prompt === null ? {} : { prompt }),
      ...(completion === null ? {} : { completion }),
      ...readPrices<TokenPriceKey>(member, TOKEN_PRICE_KEYS),
    },
  };
}

function isAbsent({ value }: JsonReader): boolean {
  return value === undefined || value === null;
}

function readWord(at: JsonReader, kind: ModeKind): string {
  const word = modeWord(
    at.matching(MODE_WORD, 'a word of the host of at most 64 letters, digits and _ . : -'),
  );
  if (word !== '' && isBaseWord(kind, word))
    at.violation('base', `must not be "${word}": that is the base, whose price is that of pricing`);
  return word;
}

function readTrue(at: JsonReader): boolean {
  if (at.value === false) at.violation('true', 'must be true, or left out');
  return at.boolean();
}

function readMultiplier(at: JsonReader): string {
  const multiplier = at.price(MAX_MULTIPLIER);
  const isGiven = typeof at.value === 'string' || typeof at.value === 'number';
  if (isGiven && parseDecimal(String(at.value))?.digits === 0n)
    at.violation('range', 'must be more than 0; what is free has prices of 0');
  return multiplier;
}
