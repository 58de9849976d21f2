/** What `JSON.parse` may give. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonMembers;

/** The members of a JSON object. */
export interface JsonMembers {
  [name: string]: JsonValue;
}

/** An assignment that keeps a member named __proto__ as data. */
export function setMember(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
