import type { JsonValue } from '@bufbuild/protobuf';

/** What differs between accounts and instants, anywhere in a text. */
const OWN = [
  ['instant', /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/],
  ['uuid', /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/],
  ['hash', /[0-9a-f]{64}/],
  ['user', /user_[0-9a-f]{24}/],
  ['entry', /\b[a-z][0-9a-z]{7}[0-9a-f]{12}\b/],
  ['label', /bw-\S{6}\.\.\.\S{3}/],
] as const;
const ANY = new RegExp(OWN.map(([, pattern]) => `(${pattern.source})`).join('|'), 'g');

/** Members that depend on time. */
const TIMES = new Set([
  ...['created', 'created_at', 'completed_at'],
  ...['latency', 'latency_ms', 'first_token_ms', 'generation_time'],
]);

/** Members that depend on what the gateway was asked before. */
const MEASURED = /^(?:uptime|latency|throughput)_last_/;

/**
 * The value with everything that is the account's own or the moment's named by its first place in the value
 * (`<uuid 1>`), so that equal answers of different accounts are equal values.
 */
export function normal<T>(value: T): T {
  const names = new Map<string, string>();
  const named = (text: string, ...groups: readonly unknown[]): string => {
    const kind = OWN[groups.slice(0, OWN.length).findIndex((group) => group !== undefined)]?.[0] ?? '';
    if (kind === 'instant') return '<instant>';
    const known = names.get(text);
    if (known !== undefined) return known;
    const number = [...names.values()].filter((name) => name.startsWith(`<${kind} `)).length + 1;
    names.set(text, `<${kind} ${number}>`);
    return `<${kind} ${number}>`;
  };
  const walk = (json: JsonValue, key: string): JsonValue => {
    if (MEASURED.test(key)) return null;
    if (typeof json === 'string') return json.replace(ANY, named);
    if (typeof json === 'number') return TIMES.has(key) ? 0 : json;
    if (Array.isArray(json)) return json.map((item) => walk(item, key));
    if (typeof json !== 'object' || json === null) return json;
    return Object.fromEntries(Object.entries(json).map(([name, member]) => [name, walk(member, name)]));
  };
  // Strings stay strings and numbers numbers.
  return walk(value as JsonValue, '') as T;
}
