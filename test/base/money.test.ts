import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatNano, nanoToUsd } from '../../src/base/money.js';

test('an amount is converted to the nearest number, however large', () => {
  const amounts = fc.oneof(
    fc.bigInt(-1_000_000n, 1_000_000n),
    fc.bigInt(-(2n ** 54n), 2n ** 54n),
    fc.bigInt(-(10n ** 24n), 10n ** 24n),
  );
  fc.assert(
    fc.property(amounts, (amount) => {
      expect(nanoToUsd(amount)).toBe(Number(formatNano(amount)));
    }),
    { numRuns: 2_000 },
  );
});
