import { expect, test } from 'vitest';
import { createProcessLease } from '../../src/store/engine/process-lease.js';

test('the status of a lease is known on its own machine and unknown on others', () => {
  const [one, other] = [createProcessLease(), createProcessLease()];
  expect(one.statusOf(other.id)).toBe('held');
  other.end();
  expect(one.statusOf(other.id)).toBe('lost');
  const [machine, , name] = one.id.split('.');
  expect(one.statusOf(`${machine}.${2 ** 22 + 1}.${name}`)).toBe('lost');
  expect(one.statusOf(`elsewhere.${process.pid}.${name}`)).toBe('unknown');
});
