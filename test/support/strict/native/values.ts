/** Reading of JSON values whose type is what is to be found out. */

export type JsonRecord = Readonly<Record<string, unknown>>;

/** The value as an object; an empty one for anything else. */
export function record(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as a list; an empty one for anything else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects in a list. */
export function records(value: unknown): readonly JsonRecord[] {
  return list(value).map(record);
}

/** The first member that is not known. */
export function unknownIn(value: object, known: ReadonlySet<string>): string | undefined {
  return Object.keys(value).find((name) => !known.has(name));
}

export function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** The first value that occurs twice. */
export function repeated(values: readonly string[]): string | undefined {
  return values.find((value, index) => values.indexOf(value) < index);
}

const HALF = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** Whether there is half of a surrogate pair in any text or name of the value. */
export function hasHalves(value: unknown): boolean {
  if (typeof value === 'string') return HALF.test(value);
  if (Array.isArray(value)) return value.some(hasHalves);
  return (
    isRecord(value) && Object.entries(value).some(([name, inner]) => HALF.test(name) || hasHalves(inner))
  );
}

const BASE64 = /^[A-Za-z0-9+/]+=*$/;

export function isBase64(value: unknown): boolean {
  return typeof value === 'string' && BASE64.test(value);
}
