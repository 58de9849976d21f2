import { expect, test } from 'vitest';
import { newHolder } from '../../src/store/engine/holder.js';

test('what has become of a holder is known at once on its own machine, and nothing elsewhere', () => {
  const [one, other] = [newHolder(), newHolder()];
  expect(one.fateOf(other.id)).toBe('here');
  other.end();
  expect(one.fateOf(other.id)).toBe('gone');
  const [machine, , name] = one.id.split('.');
  expect(one.fateOf(`${machine}.${2 ** 22 + 1}.${name}`)).toBe('gone');
  expect(one.fateOf(`elsewhere.${process.pid}.${name}`)).toBe('elsewhere');
});
