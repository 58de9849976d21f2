import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { chargeHashes } from './charges.fixture.js';

it('without price_modes 10,000 charges and reservations are what they were before there were any', () => {
  const golden: unknown = JSON.parse(readFileSync(new URL('./golden/charges.json', import.meta.url), 'utf8'));
  expect(chargeHashes()).toEqual(golden);
});
