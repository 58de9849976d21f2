/** Notes at prices that look wrong: `docs/catalog.md#prices-that-look-wrong`. */
import { nearestNames } from '../../base/nearest.js';
import type { PriceNotes } from '../input/catalog-file.js';
import type { JsonReader } from '../input/json-reader.js';
import { PRICE_KEYS } from '../types.js';

/** A key of the base, of an override or of a mode. */
const KEY = /^(?:(?:overrides|price_modes)\[\d{1,3}\]\.)?([a-z0-9_]{1,32})$/;

const NAMES: readonly string[] = [...PRICE_KEYS, 'multiplier'];

/** A sentence or two with a source. */
const MAX_NOTE = 1_000;

export function readPriceNotes(at: JsonReader): PriceNotes {
  const notes: Record<string, string> = {};
  for (const [key, note] of at.entries()) {
    const name = KEY.exec(key)?.[1];
    if (name === undefined || !NAMES.includes(name)) {
      const [nearest] = nearestNames(name ?? key, NAMES);
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
      const rule = 'must be a price such as prompt, overrides[0].prompt or price_modes[0].multiplier';
      note.violation('price_key', `${rule}${hint}`);
    } else notes[key] = readNote(note);
  }
  return notes;
}

function readNote(at: JsonReader): string {
  const note = at.text();
  const isBlank = typeof at.value === 'string' && at.value !== '' && note.trim() === '';
  if (isBlank) at.violation('empty', 'must say why the price is right');
  if (note.length > MAX_NOTE) at.violation('too_long', `must have at most ${MAX_NOTE} characters`);
  return note;
}
