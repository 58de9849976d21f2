/** What a reader of JSON, of URLs or of HTML makes of a text, however often it is read. */

/** How often it is decoded: an error in an error in an error, in JSON. */
const MAX_ROUNDS = 6;

/** An escape of JSON, a percent-encoded byte, or a numeric reference of HTML. */
const ESCAPE =
  /\\u([0-9a-fA-F]{4})|\\(["\\/bfnrt])|%([0-9a-fA-F]{2})|&#(\d{1,7});|&#[xX]([0-9a-fA-F]{1,6});/g;

type Groups = readonly (string | undefined)[];

/** Whether the text may have an escape, in less time than it takes to look for one. */
export function mayBeEncoded(text: string): boolean {
  return text.includes('\\') || text.includes('%') || text.includes('&#');
}

/** What each further decoding gives, until nothing is encoded any more. */
export function* decodings(text: string): Generator<string, void> {
  let decoded = text;
  for (let round = 0; round < MAX_ROUNDS && mayBeEncoded(decoded); round += 1) {
    const next = decoded.replace(ESCAPE, (_, ...groups: Groups) => characterOf(groups));
    if (next === decoded) return;
    decoded = next;
    yield decoded;
  }
}

/** Where in the text each character is from after so many decodings, and where the text ends. */
export function origins(text: string, rounds: number): readonly number[] {
  let decoded: Decoded = { text, from: Array.from({ length: text.length + 1 }, (_, index) => index) };
  for (let round = 0; round < rounds; round += 1) decoded = decodedOnce(decoded);
  return decoded.from;
}

interface Decoded {
  readonly text: string;
  readonly from: readonly number[];
}

/** Each escape becomes one character, and all others stay as they are. */
function decodedOnce({ text, from }: Decoded): Decoded {
  let decoded = '';
  const next: number[] = [];
  let at = 0;
  const copyTo = (end: number) => {
    for (let index = at; index < end; index += 1) next.push(from[index] ?? 0);
    decoded += text.slice(at, end);
  };
  for (const match of text.matchAll(ESCAPE)) {
    copyTo(match.index);
    next.push(from[match.index] ?? 0);
    decoded += characterOf(match.slice(1));
    at = match.index + match[0].length;
  }
  copyTo(text.length);
  next.push(from[text.length] ?? 0);
  return { text: decoded, from: next };
}

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** A percent-encoded byte of any other character than ASCII's stays one: no secret has any. */
function characterOf([unicode, short, percent, decimal, hex]: Groups): string {
  if (short !== undefined) return CONTROLS[short] ?? short;
  const digits = unicode ?? percent ?? hex;
  const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
  return String.fromCharCode(code);
}
