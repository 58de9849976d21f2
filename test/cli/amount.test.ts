import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatNano } from '../../src/base/money.js';
import { usdAmount } from '../../src/cli/output/amount.js';

test('every amount that can be printed is read back exactly', () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 24n), 10n ** 24n), (amount) => {
      expect(usdAmount('amount', formatNano(amount))).toBe(amount);
    }),
  );
});

test.each(['', ' 1', '1,5', '0x10', '1_000', 'NaN', 'Infinity', '1e-10', '0.0000000001', '$5'])(
  'not an amount: %j',
  (text) => {
    expect(() => usdAmount('limit', text)).toThrow('limit: must be an amount in USD with at most 9 decimals');
  },
);
