import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  amounts,
  counter,
  exposition,
  gauge,
  histogram,
  MAX_CELLS,
} from '../../src/server/metrics/families.js';
import { mergedText } from '../../src/server/metrics/merged.js';
import { readExposition, sampleValue } from '../support/prometheus.js';

describe('the exposition', () => {
  it('is read back as it was counted, whatever the label values are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (value, count) => {
        const family = counter('some_total', 'Some.', 'label');
        family.at(value).value += count;
        const [sample] = readExposition(exposition([family])).get('some_total')?.samples ?? [];
        const label = sample?.labels.label?.replace(/\\([\\"n])/g, (_, mark) => (mark === 'n' ? '\n' : mark));
        expect([label, sample?.value]).toEqual([value, count]);
      }),
    );
  });

  it('has histograms whose buckets add up', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1000, noNaN: true })), (seconds) => {
        const family = histogram('t_seconds', 'Times.', 'of');
        for (const one of seconds) family.at('x').observe(one);
        family.at('y');
        const families = readExposition(exposition([family]));
        expect(sampleValue(families, 't_seconds_count', { of: 'x' }) ?? 0).toBe(seconds.length);
        const upTo1 = sampleValue(families, 't_seconds_bucket', { of: 'x', le: '1' }) ?? 0;
        expect(upTo1).toBe(seconds.filter((one) => one <= 1).length);
      }),
    );
  });

  it('adds money exactly', () => {
    const family = amounts('usd_total', 'Money.');
    for (let count = 0; count < 10; count += 1) family.at().nanoUsd += 100_000_000n;
    family.at().nanoUsd += 1n;
    expect(exposition([family])).toContain('\nusd_total 1.000000001\n');
  });

  it('reads a gauge when metrics are read', () => {
    let value = 1;
    const families = [gauge('g', 'G.', () => value)];
    expect(exposition(families)).toContain('\ng 1\n');
    value = 2;
    expect(exposition(families)).toContain('\ng 2\n');
  });

  it('has a max number of lines: further label values share one', () => {
    const family = counter('some_total', 'Some.', 'label');
    for (let index = 0; index < MAX_CELLS + 5; index += 1) family.at(`v${index}`).value += 1;
    const { samples = [] } = readExposition(exposition([family])).get('some_total') ?? {};
    expect(samples.length).toBe(MAX_CELLS + 1);
    expect(samples.at(-1)).toEqual({ name: 'some_total', labels: { label: 'other' }, value: 5 });
  });
});

describe('the texts of several workers', () => {
  const textOf = (count: number) => {
    const [plain, named, lasting] = [
      counter('some_total', 'Some.'),
      counter('named_total', 'Named.', 'label'),
      histogram('t_seconds', 'Times.', 'of'),
    ];
    plain.at().value += count;
    named.at('a "}\\n b').value += count;
    lasting.at('x').observe(count);
    return exposition([plain, named, lasting]);
  };

  it('are merged into one, with a worker label on each sample', () => {
    const merged = readExposition(
      mergedText([
        ['1', textOf(3)],
        ['4', textOf(5)],
      ]),
    );
    expect([...merged.keys()]).toEqual(['some_total', 'named_total', 't_seconds']);
    for (const [worker, count] of [
      ['1', 3],
      ['4', 5],
    ] as const) {
      expect(sampleValue(merged, 'some_total', { worker })).toBe(count);
      expect(sampleValue(merged, 't_seconds_sum', { worker, of: 'x' })).toBe(count);
      const named = merged.get('named_total')?.samples.find(({ labels }) => labels.worker === worker);
      expect(named?.value).toBe(count);
    }
  });

  it('have families that only one of them has', () => {
    const gauges = (name: string) => exposition([gauge(name, 'G.', () => 1)]);
    const merged = readExposition(
      mergedText([
        ['1', gauges('a')],
        ['2', gauges('b')],
      ]),
    );
    expect(sampleValue(merged, 'a', { worker: '1' })).toBe(1);
    expect(sampleValue(merged, 'b', { worker: '2' })).toBe(1);
  });
});

describe('the reader of these tests notices', () => {
  const HEAD = '# HELP a A.\n# TYPE a counter\n';
  it.each([
    ['a sample without a family', 'a 1\n'],
    ['a type that is none', '# HELP a A.\n# TYPE a count\n'],
    ['a family without help', '# TYPE a counter\na 1\n'],
    ['a family twice', `${HEAD}a 1\n${HEAD}`],
    ['a sample twice', `${HEAD}a{b="1"} 1\na{b="1"} 2\n`],
    ['a label twice', `${HEAD}a{b="1",b="2"} 1\n`],
    ['an unescaped quote', `${HEAD}a{b="1"2"} 1\n`],
    ['no number', `${HEAD}a one\n`],
    ['a negative counter', `${HEAD}a -1\n`],
    ['no end', `${HEAD}a 1`],
    ['a histogram without its sum', '# HELP h H.\n# TYPE h histogram\nh_bucket{le="+Inf"} 1\nh_count 1\n'],
    [
      'buckets that shrink',
      '# HELP h H.\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
    ],
  ])('%s', (_, text) => {
    expect(() => readExposition(text)).toThrow();
  });
});
