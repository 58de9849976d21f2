import { expect, it } from 'vitest';
import { ExactInteger } from '../../src/base/json/exact-integer.js';
import { canonicalJson } from '../../src/base/json/json-body.js';
import { runToEnd } from '../../src/base/time-slices.js';

function canonical(value: unknown): string {
  const pieces: string[] = [];
  runToEnd(canonicalJson(value, (piece) => void pieces.push(piece)));
  return pieces.join('');
}

it('canonical JSON is that of the examples of RFC 8785', () => {
  // https://www.rfc-editor.org/rfc/rfc8785, sections 3.2.2 and 3.2.3 (2026-11-26).
  expect(
    canonical({
      numbers: [333333333.3333333, 1e30, 4.5, 0.002, 0.000000000000000000000000001],
      string: '\u20ac$\u000f\nA\'B"\\\\"/',
      literals: [null, true, false],
    }),
  ).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
  const names = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
  const text = canonical(Object.fromEntries(names.map((name) => [name, ''])));
  const places = names.map((name) => [text.indexOf(JSON.stringify(name)), name] as const);
  expect(places.sort(([a], [b]) => a - b).map(([, name]) => name)).toEqual([
    ...['\r', '1', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33'],
  ]);
});

it('canonical JSON keeps the digits of integers that no number holds, and leaves out what is undefined', () => {
  expect(canonical({ b: new ExactInteger('9007199254740993'), a: undefined })).toBe('{"b":9007199254740993}');
});

it('canonical JSON of a long value is the same in pieces, which end between others', () => {
  const value = {
    texts: Array.from({ length: 300 }, (_, n) => `${n}`.repeat(1_000)),
    long: 'é'.repeat(300_000),
  };
  const steps = [...canonicalJson(value, () => undefined)];
  expect(steps.length).toBeGreaterThan(3);
  expect(JSON.parse(canonical(value))).toEqual(value);
});
