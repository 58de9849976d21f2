/** The known names closest to a mistyped one, best first; at most half of its characters may differ. */
export function nearestNames(name: string, known: Iterable<string>, count = 1): string[] {
  const lowerCased = name.toLowerCase();
  const maxDistance = Math.max(2, Math.floor(lowerCased.length / 2));
  const scored: { name: string; distance: number }[] = [];
  for (const candidate of known) {
    const distance = editDistance(lowerCased, candidate.toLowerCase(), maxDistance);
    if (distance <= maxDistance) scored.push({ name: candidate, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return scored.slice(0, count).map((entry) => entry.name);
}

/** Levenshtein distance, or `maxDistance + 1` when it is greater. Inputs over 128 characters count as too far. */
function editDistance(a: string, b: string, maxDistance: number): number {
  const far = maxDistance + 1;
  if (Math.abs(a.length - b.length) > maxDistance || a.length > 128 || b.length > 128) return far;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? far) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const cost = Math.min((previous[j] ?? far) + 1, (current[j - 1] ?? far) + 1, substitution);
      current.push(cost);
      best = Math.min(best, cost);
    }
    if (best > maxDistance) return far;
    previous = current;
  }
  return previous[b.length] ?? far;
}
