/** How many tokens a text can have at most, whichever host counts it. */

/**
 * One token a byte, which no byte-level tokenizer exceeds, of the text as hosts may write it before they count:
 * - in JSON, as Llama's template does with results of tools (`message.content | tojson`):
 *   https://huggingface.co/meta-llama/Llama-3.1-8B-Instruct/blob/main/tokenizer_config.json (2026-11-26);
 * - in Unicode's NFKC, as Anthropic's own package does, in which one character of three bytes becomes 33 (U+FDFA):
 *   https://github.com/anthropics/anthropic-tokenizer-typescript/blob/main/index.ts (2026-11-26).
 */
export function mostTokensOf(text: string): number {
  const bytes = utf8Length(text);
  const escapes = escapesOf(text);
  return bytes === text.length ? bytes + escapes : bytes + escapes + composedGrowth(text);
}

/** Up to this length, counting here is faster than `Buffer.byteLength`. */
const SHORT_TEXT = 32;

function utf8Length(text: string): number {
  const { length } = text;
  if (length > SHORT_TEXT) return Buffer.byteLength(text);
  for (let index = 0; index < length; index++) {
    if (text.charCodeAt(index) > 0x7f) return Buffer.byteLength(text);
  }
  return length;
}

/** What has another form in JSON: quotes, backslashes, control characters, halves of characters. */
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u;

/** How many bytes a text grows in JSON. */
function escapesOf(text: string): number {
  return ESCAPED.test(text) ? JSON.stringify(text).length - text.length - '""'.length : 0;
}

/** Bytes that texts grow by in NFKC; none below the first of these characters. */
const FIRST_GROWING = 0xa8;
const PLANE = 0x1_0000;

/** By UTF-16 code unit, for characters of one; made when the first text needs it. */
let growth: Uint8Array | undefined;

/** Characters of two code units whose form in NFKC is longer: music, and letters and words in squares. */
const GROWING_PAIRS = /[\u{1d15e}-\u{1d164}\u{1d1bb}-\u{1d1c0}\u{1f100}-\u{1f2ff}]/gu;
const MAX_GROWTH_OF_PAIR = 8;

function composedGrowth(text: string): number {
  growth ??= growthByUnit();
  let bytes = 0;
  let hasPairs = false;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    bytes += growth[unit] ?? 0;
    hasPairs ||= unit === MUSIC || unit === SQUARED;
  }
  return hasPairs ? bytes + MAX_GROWTH_OF_PAIR * (text.match(GROWING_PAIRS)?.length ?? 0) : bytes;
}

/** The first code units of `GROWING_PAIRS`. */
const MUSIC = 0xd834;
const SQUARED = 0xd83c;

function growthByUnit(): Uint8Array {
  const all = new Uint8Array(PLANE);
  for (let unit = FIRST_GROWING; unit < PLANE; unit += 1) {
    if (unit >= HALVES.from && unit <= HALVES.to) continue;
    const text = String.fromCharCode(unit);
    const composed = text.normalize('NFKC');
    if (composed !== text) all[unit] = Math.max(0, Buffer.byteLength(composed) - Buffer.byteLength(text));
  }
  return all;
}

/** Surrogates, and what is nobody's. */
const HALVES = { from: 0xd800, to: 0xf8ff };
