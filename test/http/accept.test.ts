import { expect, it } from 'vitest';
import { prefersCsv } from '../../src/http/accept.js';

it.each([
  'text/csv',
  'Text/CSV; charset=utf-8',
  'text/csv, application/json;q=0.9',
  'application/json;q=0.5, text/csv;header=present;q=0.7',
  'text/csv;q=0.2, */*;q=0.1',
  'text/*',
  'text/html, text/csv ; q=1.000, */*;q=0.8',
])('CSV is preferred: %s', (accept) => {
  expect(prefersCsv(accept)).toBe(true);
});

it.each([
  undefined,
  '',
  '*/*',
  'application/json',
  'text/csv, application/json',
  'application/json, text/csv;q=0.9',
  'text/csv;q=0',
  'text/csv;q=0.000, */*;q=0.1',
  'text/csv;q=high',
  'text/csv;q=0.5, */*',
  'text/csvx',
  'image/png',
])('JSON is answered: %s', (accept) => {
  expect(prefersCsv(accept)).toBe(false);
});
