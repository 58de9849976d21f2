/**
 * The order of keys in the Prioritized and the Fallback section of one provider in one workspace (spec 3, 4.5.1).
 * Positions are 0..n-1 without gaps in each section, after every operation and whatever they were before.
 */
import { type ByokKey, sectionOf } from './types.js';

/** Where a key stands. */
export type Place = Pick<ByokKey, 'isFallback' | 'sortOrder'>;

/** A key of the provider and workspace. */
export type PlacedKey = Place & Pick<ByokKey, 'id'>;

/** Where a key shall stand; without a position at the end of a section that is new to it, else where it stands. */
export interface Destination {
  readonly isFallback: boolean;
  /** Clamped to the end of the section. */
  readonly sortOrder: number | undefined;
}

/** The place of a new key: the end of its section. */
export function placeAtEnd(keys: readonly PlacedKey[], isFallback: boolean): Place {
  return { isFallback, sortOrder: keys.filter((key) => key.isFallback === isFallback).length };
}

/** The places after the key moved to its destination; only keys whose place differs from before are in it. */
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

/** The places after the key is gone; only keys whose place differs from before are in it. */
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
  const moved = places.filter(
    ({ before, place }) => before.sortOrder !== place.sortOrder || before.isFallback !== place.isFallback,
  );
  return new Map(moved.map(({ before, place }) => [before.id, place]));
}
