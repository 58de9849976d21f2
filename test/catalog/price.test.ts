import { expect, it } from 'vitest';
import { sortingPrice } from '../../src/catalog/price.js';

it('a price that is no decimal number is an error, not a price of 0', () => {
  const pricing = { prices: { prompt: 'free', completion: '0' }, discount: null, overrides: [] };
  expect(() => sortingPrice(pricing)).toThrow('not a price: free');
});
