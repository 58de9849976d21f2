/** The same members without those that are null: an absent value of a record is an unset field of its message. */
export function defined<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  // What is left of each member is its type without null.
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
