import { expect, test } from 'vitest';
import { createProcessLease } from '../../src/store/engine/process-lease.js';

test('what has become of a holder is known at once on its own machine, and nothing elsewhere', () => {
  const [one, other] = [createProcessLease(), createProcessLease()];
  expect(one.statusOf(other.id)).toBe('here');
  other.end();
  expect(one.statusOf(other.id)).toBe('gone');
  const [machine, , name] = one.id.split('.');
  expect(one.statusOf(`${machine}.${2 ** 22 + 1}.${name}`)).toBe('gone');
  expect(one.statusOf(`elsewhere.${process.pid}.${name}`)).toBe('elsewhere');
});
