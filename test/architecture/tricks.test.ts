import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const PAGE = 'docs/performance.md';

describe('the tricks of speed in docs/performance.md', () => {
  const rows = tricksOf(readFileSync(PAGE, 'utf8'));

  it('are listed', () => {
    expect(rows.length).toBeGreaterThan(10);
  });

  it('are each in a place that exists, with a record of what they buy and a test', () => {
    expect(rows.flatMap(violations)).toEqual([]);
  });
});

describe('the guard notices', () => {
  const trick =
    '| a trick | [a](../src/main.ts) | 2 instead of 4 µs | this page | [b](../test/config.test.ts) |';

  it.each([
    ['a place that is not there', trick.replace('main.ts', 'gone.ts')],
    ['a test that is not there', trick.replace('config.test.ts', 'gone.test.ts')],
    ['what is no test', trick.replace('../test/config.test.ts', '../src/main.ts')],
    ['a trick without a test', trick.replace('[b](../test/config.test.ts)', 'none')],
    ['a record that is no decision', trick.replace('this page', '[c](README.md)')],
    ['a trick of which this page has no figure', trick.replace('2 instead of 4 µs', 'some time')],
  ])('%s', (_, row) => {
    expect(tricksOf(tableOf(trick)).flatMap(violations)).toEqual([]);
    expect(tricksOf(tableOf(row)).flatMap(violations)).toHaveLength(1);
  });
});

type Row = readonly string[];

function tableOf(row: string): string {
  return `## Tricks of speed\n\n| Trick | Where | Buys | Record | Test |\n|---|---|---|---|---|\n${row}\n\n## Next\n`;
}

/** The cells of each row. */
function tricksOf(page: string): Row[] {
  const [, section = ''] = page.split('## Tricks of speed\n');
  const [body = ''] = section.split('\n## ');
  const lines = body.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) => line.split('|').slice(1, -1));
}

function violations([trick = '', where = '', buys = '', record = '', test = '']: Row): string[] {
  const isRecorded = record.trim() === 'this page' ? /\d/.test(buys) : isThere(record, /^docs\/adr\/\d{4}-/);
  return [
    ...(isThere(where, /^(src|scripts)\//) ? [] : [`${trick}: its place`]),
    ...(isRecorded ? [] : [`${trick}: its record`]),
    ...(isThere(test, /^test\/.*\.test\.ts$/) ? [] : [`${trick}: its test`]),
  ];
}

/** Whether the cell links to files of this form, and all of them exist. */
function isThere(cell: string, form: RegExp): boolean {
  const paths = [...cell.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => join('docs', path));
  return paths.length > 0 && paths.every((path) => form.test(path) && existsSync(path));
}
