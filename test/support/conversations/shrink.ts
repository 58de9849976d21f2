/** How often a smaller value is tried. */
const MAX_TRIES = 5000;

type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * The smallest value of this kind that still fails: elements, members and halves of texts are left out, one after the other,
 * until nothing more can go. `fails` must be true for the value itself.
 */
export function shrink<T extends object>(value: T, fails: (smaller: T) => boolean): T {
  let tries = 0;
  let smallest = value as unknown as Json;
  for (let isSmaller = true; isSmaller && tries < MAX_TRIES; ) {
    isSmaller = false;
    for (const candidate of smaller(smallest)) {
      if (++tries > MAX_TRIES) break;
      if (!fails(candidate as unknown as T)) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest as unknown as T;
}

/** Values that are one step smaller, the greatest steps first. */
function* smaller(value: Json): Generator<Json> {
  if (typeof value === 'string') {
    if (value.length > 8) yield value.slice(0, Math.ceil(value.length / 2));
    if (value.length > 8) yield value.slice(Math.floor(value.length / 2));
    return;
  }
  if (Array.isArray(value)) {
    if (value.length > 3) yield value.slice(0, Math.ceil(value.length / 2));
    if (value.length > 3) yield value.slice(Math.floor(value.length / 2));
    for (const index of value.keys()) yield value.filter((_, other) => other !== index);
    for (const [index, inner] of value.entries()) {
      for (const less of smaller(inner)) yield value.map((one, other) => (other === index ? less : one));
    }
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const entries = Object.entries(value);
  for (const [name] of entries) yield Object.fromEntries(entries.filter(([other]) => other !== name));
  for (const [name, inner] of entries) {
    for (const less of smaller(inner)) {
      yield Object.fromEntries(entries.map(([other, one]) => [other, other === name ? less : one]));
    }
  }
}
