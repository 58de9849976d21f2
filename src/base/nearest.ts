import type { Violation } from './problem.js';

/** Further apart names are no slips of the pen; looking for them among thousands would take milliseconds. */
const MAX_DISTANCE = 8;

/** The known names closest to a mistyped one, best first; at most half of its characters may differ, and `MAX_DISTANCE`. */
export function nearestNames(name: string, known: Iterable<string>, count = 1): string[] {
  const lowerCased = name.toLowerCase();
  const maxDistance = Math.min(MAX_DISTANCE, Math.max(2, Math.floor(lowerCased.length / 2)));
  const scored: { name: string; distance: number }[] = [];
  for (const name of known) {
    const distance = editDistance(lowerCased, name.toLowerCase(), maxDistance);
    if (distance <= maxDistance) scored.push({ name, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return scored.slice(0, count).map((entry) => entry.name);
}

/** The violation of an unknown name, with the nearest known one; `kind` is a noun for the message. */
export function unknownName(field: string, kind: string, name: string, known: Iterable<string>): Violation {
  const [nearest] = nearestNames(name, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return { field, rule: 'known', message: `is not a known ${kind}${hint}` };
}

/** Longer names are too far from any. */
const MAX_CHARACTERS = 128;

/** Rows of the table of distances, which every comparison writes anew. */
let previous = new Uint8Array(MAX_CHARACTERS + 2);
let current = new Uint8Array(MAX_CHARACTERS + 2);

/** Levenshtein distance, or `maxDistance + 1` when it is greater; only the band of the table that can hold less is filled. */
function editDistance(a: string, b: string, maxDistance: number): number {
  const far = maxDistance + 1;
  if (Math.abs(a.length - b.length) > maxDistance) return far;
  if (a.length > MAX_CHARACTERS || b.length > MAX_CHARACTERS) return far;
  for (let j = 0; j <= b.length + 1; j++) previous[j] = Math.min(j, far);
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - maxDistance);
    const to = Math.min(b.length, i + maxDistance);
    let best = from === 1 ? Math.min(i, far) : far;
    current[from - 1] = best;
    for (let j = from; j <= to; j++) {
      const substitution = (previous[j - 1] ?? far) + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1);
      const cost = Math.min(far, (previous[j] ?? far) + 1, (current[j - 1] ?? far) + 1, substitution);
      current[j] = cost;
      best = Math.min(best, cost);
    }
    current[to + 1] = far;
    if (best > maxDistance) return far;
    [previous, current] = [current, previous];
  }
  return previous[b.length] ?? far;
}
