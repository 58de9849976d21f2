import { expect, test } from 'vitest';
import { newHolder } from '../../src/store/holder.js';

test('who holds a reservation is known on its own machine alone; elsewhere the reservation lasts its time', () => {
  const [one, other] = [newHolder(), newHolder()];
  expect(one.isAlive(other.id)).toBe(true);
  other.end();
  expect(one.isAlive(other.id)).toBe(false);
  const [machine, , name] = one.id.split('.');
  expect(one.isAlive(`${machine}.${2 ** 22 + 1}.${name}`)).toBe(false);
  expect(one.isAlive(`elsewhere.${2 ** 22 + 1}.${name}`)).toBe(true);
});
