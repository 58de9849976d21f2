import { describe, expect, it } from 'vitest';
import {
  checkBudgetUsd,
  checkDescription,
  checkNames,
  checkSubjects,
  orderViolations,
} from '../../src/accounts/rules.js';

const fields = (violations: readonly { field: string; rule: string }[]) =>
  violations.map(({ field, rule }) => `${field} ${rule}`);

describe('the rules of records of an account', () => {
  it('a description has at most 1000 characters, counted as people count them', () => {
    expect(checkDescription(null)).toEqual([]);
    expect(checkDescription('😀'.repeat(1000))).toEqual([]);
    expect(fields(checkDescription('x'.repeat(1001)))).toEqual(['description length']);
  });

  it('a budget is more than 0 and at most a billion USD', () => {
    expect([1n, 10n ** 18n].flatMap(checkBudgetUsd)).toEqual([]);
    expect(fields([0n, -1n, 10n ** 18n + 1n].flatMap(checkBudgetUsd))).toHaveLength(3);
  });

  it('a span of time does not end before it begins; either end may be open', () => {
    expect(orderViolations(1, 1)).toEqual([]);
    expect(orderViolations(1, 2)).toEqual([]);
    expect(orderViolations(2, undefined)).toEqual([]);
    expect(orderViolations(undefined, 1)).toEqual([]);
    expect(fields(orderViolations(2, 1))).toEqual(['from range']);
  });

  it('a restriction lists at most 1000 names; those beyond are not checked', () => {
    expect(checkNames('names', null)).toEqual([]);
    expect(checkNames('names', Array(1000).fill('x'))).toEqual([]);
    expect(fields(checkNames('names', Array(1001).fill('')))).toHaveLength(1001);
    expect(fields(checkNames('names', ['x', '']))).toEqual(['names[1] length']);
  });

  it('a call names 1 to 100 subjects', () => {
    expect(fields(checkSubjects('hashes', []))).toEqual(['hashes count']);
    expect(checkSubjects('hashes', Array(100).fill('x'))).toEqual([]);
    expect(fields(checkSubjects('hashes', Array(101).fill('x')))).toEqual(['hashes count']);
  });
});
