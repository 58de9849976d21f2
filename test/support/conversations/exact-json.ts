const LONG = 16;

/** A character of no script, before a number that stands in a text for a while. */
const MARK = '\ue000';
const MARKED = /^\ue000-?\d+$/;

/** JSON whose numbers keep their digits: those with more than a double can hold are bigints. */
export function parseExact(text: string): unknown {
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d+(?![\d.eE])/g, (token) =>
    token.startsWith('"') || token.replace('-', '').length < LONG ? token : `"${MARK}${token}"`,
  );
  return JSON.parse(marked, (_name, value) =>
    typeof value === 'string' && MARKED.test(value) ? exact(value.slice(1)) : value,
  );
}

function exact(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/** JSON text in which bigints are numbers. */
export function exactText(value: unknown): string {
  const texts: string[] = [];
  const marked = JSON.stringify(value, (_name, inner) => {
    if (typeof inner !== 'bigint') return inner;
    texts.push(String(inner));
    return `${MARK}${texts.length - 1}`;
  });
  return marked.replace(/"\ue000(\d+)"/g, (_, index) => texts[Number(index)] ?? '0');
}

const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text with U+FFFD for each half of a surrogate pair. */
export function wellFormed(text: string): string {
  return text.replace(HALF, '\ufffd');
}

/** The one JSON text of a value, whatever the order of its members; numbers with all digits, no halves of characters. */
export function canonical(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return JSON.stringify(wellFormed(value));
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, inner]) => `${canonical(name)}:${canonical(inner)}`).join(',')}}`;
}

/** The canonical text of JSON; undefined for a text that is none. */
export function canonicalOf(text: string): string | undefined {
  try {
    return canonical(parseExact(text));
  } catch {
    return undefined;
  }
}
