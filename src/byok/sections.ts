/**
 * The order of keys in the prioritized and the fallback section of one provider in one workspace:
 * `docs/routing.md#byok-keys`. After every operation the positions of a section are 0..n-1 without gaps.
 */
import { type ByokKey, sectionOf } from './types.js';

export type Place = Pick<ByokKey, 'isFallback' | 'sortOrder'>;

export type PlacedKey = Place & Pick<ByokKey, 'id'>;

/** A new place. Without a position, a key stays where it is, or goes to the end of a section that is new to it. */
export interface Destination {
  readonly isFallback: boolean;
  /** Clamped to the end of the section. */
  readonly sortOrder: number | undefined;
}

/** The place of a new key. */
export function placeAtEnd(keys: readonly PlacedKey[], isFallback: boolean): Place {
  return { isFallback, sortOrder: keys.filter((key) => key.isFallback === isFallback).length };
}

/** The new places after a move, of the keys whose place has changed. */
export function move(keys: readonly PlacedKey[], id: string, destination: Destination): Map<string, Place> {
  const moving = keys.find((key) => key.id === id);
  if (moving === undefined) return new Map();
  const others = keys.filter((key) => key.id !== id);
  const section = inOrder(others, destination.isFallback);
  const stays = sectionOf(moving) === sectionOf(destination);
  const wanted = destination.sortOrder ?? (stays ? moving.sortOrder : section.length);
  section.splice(Math.min(wanted, section.length), 0, moving);
  const left = inOrder(others, !destination.isFallback);
  return changes([...numbered(section, destination.isFallback), ...numbered(left, !destination.isFallback)]);
}

/** The new places after a deletion, of the keys whose place has changed. */
export function remove(keys: readonly PlacedKey[], id: string): Map<string, Place> {
  const others = keys.filter((key) => key.id !== id);
  return changes([...numbered(inOrder(others, false), false), ...numbered(inOrder(others, true), true)]);
}

function inOrder(keys: readonly PlacedKey[], isFallback: boolean): PlacedKey[] {
  return keys
    .filter((key) => key.isFallback === isFallback)
    .sort((a, b) => a.sortOrder - b.sortOrder || (a.id < b.id ? -1 : 1));
}

function numbered(keys: readonly PlacedKey[], isFallback: boolean): { before: PlacedKey; place: Place }[] {
  return keys.map((before, sortOrder) => ({ before, place: { isFallback, sortOrder } }));
}

function changes(places: readonly { before: PlacedKey; place: Place }[]): Map<string, Place> {
  const changed = places.filter(
    ({ before, place }) => before.sortOrder !== place.sortOrder || before.isFallback !== place.isFallback,
  );
  return new Map(changed.map(({ before, place }) => [before.id, place]));
}
