import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  count,
  decimalText,
  exactUsd,
  nanoUsd,
  percent,
  perMillion,
  usd,
  usdText,
} from '../../src/dashboard/base/decimal.js';

describe('amounts are exact decimals', () => {
  it.each([
    [0, '$0.00'],
    [12.5, '$12.50'],
    [1_234_567.891, '$1,234,567.891'],
    [1e-9, '$0.000000001'],
    [0.1 + 0.2, '$0.30'],
    [1e9, '$1,000,000,000.00'],
    [-3.25, '−$3.25'],
  ])('%d is written %s', (amount, text) => {
    expect(usd(amount)).toBe(text);
  });

  it('a number’s text has no exponent and reads back as the number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = decimalText(value);
        expect(text).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(text) === value).toBe(true);
      }),
    );
  });

  it('what the gateway sends as USD is the nano-USD that it has', () => {
    // Above 4 million USD a JSON number no longer tells two neighbours apart.
    const maxExact = 4_000_000n * 10n ** 9n;
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: maxExact }), (nano) => {
        expect(nanoUsd(Number(nano) / 1e9)).toBe(nano);
      }),
    );
  });

  it('shows every digit of an amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), (nano) => {
        const [whole = '', fraction = ''] = usdText(nano).slice(1).split('.');
        expect(fraction.length).toBeGreaterThanOrEqual(2);
        expect(BigInt(whole.replaceAll(',', '')) * 10n ** 9n + BigInt(fraction.padEnd(9, '0'))).toBe(nano);
      }),
    );
  });
});

describe('decimal texts of receipts keep every digit', () => {
  it.each([
    ['0.00000000036', '$0.00000000036'],
    ['-0.0000000004', '−$0.0000000004'],
    ['25000', '$25,000.00'],
    ['1234.5', '$1,234.50'],
  ])('%s is %s', (text, shown) => {
    expect(exactUsd(text)).toBe(shown);
  });

  it('and shares are percents', () => {
    expect(['0.05', '0', '1', '0.123456'].map(percent)).toEqual(['5 %', '0 %', '100 %', '12.3456 %']);
  });
});

describe('prices are per million tokens, as exact as in the catalogue', () => {
  it.each([
    ['0', '$0.00'],
    ['0.000003', '$3.00'],
    ['0.00000015', '$0.15'],
    ['0.0000000375', '$0.0375'],
    ['0.00125', '$1,250.00'],
    ['2', '$2,000,000.00'],
    ['0.000000000000001', '$0.000000001'],
  ])('%s a token is %s', (price, text) => {
    expect(perMillion(price)).toBe(text);
  });
});

it('counts are grouped by thousands', () => {
  expect([count(0), count(1_234_567), count(12_345_678_901_234_567_890n)]).toEqual([
    ...['0', '1,234,567'],
    '12,345,678,901,234,567,890',
  ]);
});
