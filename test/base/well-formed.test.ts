import { describe, expect, it } from 'vitest';
import { hasSurrogateEscape, wellFormedJson } from '../../src/base/json/well-formed.js';

const HALF = '\ud83d';
const OTHER_HALF = '\ude00';

describe('JSON with halves of surrogate pairs', () => {
  it.each([
    [HALF, '\ufffd'],
    [`a${OTHER_HALF}b`, 'a\ufffdb'],
    [{ [`n${HALF}`]: [HALF, { deep: HALF }] }, { 'n\ufffd': ['\ufffd', { deep: '\ufffd' }] }],
  ])('%j has U+FFFD in their place, in names too', (json, expected) => {
    expect(wellFormedJson(json)).toEqual(expected);
  });

  it.each(['😀', { text: '😀', list: [1, null, true] }, []])('%j is the very value', (json) => {
    expect(wellFormedJson(json)).toBe(json);
  });

  it('has them in place of escapes in the JSON of arguments, and leaves pairs and backslashes', () => {
    const of = (json: string) => (wellFormedJson({ arguments: json }) as { arguments: string }).arguments;
    expect(of(String.raw`{"a":"\ud83d"}`)).toBe(String.raw`{"a":"\ufffd"}`);
    expect(of(String.raw`{"a":"\ud83d\ude00 \uDE00"}`)).toBe(String.raw`{"a":"\ud83d\ude00 \ufffd"}`);
    expect(of(String.raw`{"a":"\\ud83d"}`)).toBe(String.raw`{"a":"\\ud83d"}`);
  });

  it('is looked for only where an escape of one stands', () => {
    expect(hasSurrogateEscape(Buffer.from('{"a":"😀 \\u00e9"}'))).toBe(false);
    expect(hasSurrogateEscape(Buffer.from('{"a":"\\uD83D"}'))).toBe(true);
  });
});
