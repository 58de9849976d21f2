/** Encodings in which a secret may appear. */

/**
 * The text itself; escaped for JSON once or twice, in the variants of common encoders; percent-encoded (RFC 3986,
 * `encodeURIComponent`, forms); in base64 and base64url (RFC 4648) at each of the three offsets within other bytes,
 * without the characters that it shares with them; in hex. Without duplicates.
 */
export function spellingsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text, 'utf8');
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset));
  const escaped = [
    jsonText(text),
    jsonText(text).replaceAll('/', '\\/'),
    ...JSON_ESCAPED.flatMap((characters) => inBothCases(text, characters, jsonEscape)),
  ];
  return [
    ...new Set([
      text,
      ...escaped,
      ...escaped.map(jsonText),
      ...URL_ENCODED.flatMap((encoded) => inBothCases(text, encoded, percentEncode)),
      ...base64,
      ...base64.map((encoded) => encoded.replaceAll('+', '-').replaceAll('/', '_')),
      hex,
      hex.toUpperCase(),
    ]),
  ];
}

/** What Go's, .NET's and the strictest encoders write as `\uXXXX`. */
const JSON_ESCAPED = [/[<>&]/g, /["&'+<>`\\]/g, /[^A-Za-z0-9._~-]/g];

/** What RFC 3986, `encodeURIComponent` and forms percent-encode. */
const URL_ENCODED = [/[^A-Za-z0-9._~-]/g, /[^A-Za-z0-9._~!'()*-]/g, /[^A-Za-z0-9._*-]/g];

function inBothCases(text: string, characters: RegExp, encode: (character: string) => string): string[] {
  return [
    text.replaceAll(characters, (character) => encode(character).toUpperCase().replace('\\U', '\\u')),
    text.replaceAll(characters, (character) => encode(character).toLowerCase()),
  ];
}

function jsonEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function percentEncode(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

function jsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const BITS_PER_BYTE = 8;
const BITS_PER_CHARACTER = 6;

/** The base64 characters that depend on these bytes alone, with `offset` bytes before them and any after them. */
function base64At(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const first = Math.ceil((offset * BITS_PER_BYTE) / BITS_PER_CHARACTER);
  const end = Math.floor(((offset + bytes.length) * BITS_PER_BYTE) / BITS_PER_CHARACTER);
  return encoded.slice(first, end);
}
