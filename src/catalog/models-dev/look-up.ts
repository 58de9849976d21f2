/** The table's own entry: a list may use any name, those that every object inherits too. */
export function lookUp<V>(table: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
