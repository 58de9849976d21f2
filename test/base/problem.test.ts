import { expect, test } from 'vitest';
import { invalid } from '../../src/base/problem.js';

test('a 400 names every violation at once, each with its field if it has one', () => {
  const problem = invalid([
    { field: '', rule: 'json', message: 'The body is not valid JSON' },
    { field: 'name', rule: 'length', message: 'must have at most 255 characters' },
  ]);
  expect(problem.message).toBe('The body is not valid JSON; name: must have at most 255 characters');
  expect(problem.httpStatus).toBe(400);
  expect(problem.violations.map(({ rule }) => rule)).toEqual(['json', 'length']);
});
