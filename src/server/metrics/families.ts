/**
 * Metric families and their text (the Prometheus exposition format, version 0.0.4). A caller that holds on to the
 * cell of its labels counts with an addition; everything else is done when the metrics are read.
 */
import { type NanoUsd, nanoToUsd } from '../../base/money.js';

/** One metric with all its label values. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Its current values. */
  samples(): Iterable<Sample>;
}

/** One line of the text; `suffix` goes behind the family's name. */
interface Sample {
  readonly suffix?: string;
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
}

/** A family of cells, one for each combination of label values. */
export interface Labelled<Names extends readonly string[], Cell> extends Family {
  /**
   * The cell of these label values, in the order of the names. Beyond `MAX_CELLS` combinations all share one, named
   * `other`.
   */
  at(...values: { readonly [Name in keyof Names]: string }): Cell;
}

/** Max combinations of label values in a family; labels are chosen so that real ones stay far below. */
export const MAX_CELLS = 10_000;

/** Upper bounds of the histogram buckets, in seconds: from a cached list to a model that thinks for minutes. */
const BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;

/** The cell of a counter. */
export interface Count {
  value: number;
}

/** The cell of a counter of money, which is exact. */
export interface Amount {
  nanoUsd: NanoUsd;
}

/** The cell of a histogram. */
export interface Times {
  observe(seconds: number): void;
}

/** The family with one of its labels under an earlier name too. */
export function alsoLabelled(family: Family, name: string, earlier: string): Family {
  return {
    ...family,
    *samples() {
      for (const sample of family.samples()) {
        const value = sample.labels.find(([one]) => one === name)?.[1];
        yield value === undefined ? sample : { ...sample, labels: [...sample.labels, [earlier, value]] };
      }
    },
  };
}

/** A counter. */
export function counter<const N extends readonly string[]>(name: string, help: string, ...names: N) {
  const cells = createCells<N, Count>(names, () => ({ value: 0 }));
  return labelled(name, help, 'counter', cells, function* (labels, { value }) {
    yield { labels, value };
  });
}

/** A counter of money, shown in USD. */
export function amounts<const N extends readonly string[]>(name: string, help: string, ...names: N) {
  const cells = createCells<N, Amount>(names, () => ({ nanoUsd: 0n }));
  return labelled(name, help, 'counter', cells, function* (labels, { nanoUsd }) {
    yield { labels, value: nanoToUsd(nanoUsd) };
  });
}

/** A histogram of times in seconds. */
export function histogram<const N extends readonly string[]>(name: string, help: string, ...names: N) {
  const cells = createCells<N, Distribution>(names, () => new Distribution());
  return labelled<N, Times & Distribution>(
    name,
    help,
    'histogram',
    cells,
    function* (labels, { inBucket, sum }) {
      let count = 0;
      for (const [index, bound] of [...BOUNDS, Infinity].entries()) {
        count += inBucket[index] ?? 0;
        yield { suffix: '_bucket', labels: [...labels, ['le', numeral(bound)]], value: count };
      }
      yield { suffix: '_sum', labels, value: sum };
      yield { suffix: '_count', labels, value: count };
    },
  );
}

/** A gauge whose value is computed when it is read. */
export function gauge(name: string, help: string, read: () => number): Family {
  return { name, help, type: 'gauge', samples: () => [{ labels: [], value: read() }] };
}

export function exposition(families: readonly Family[]): string {
  return families.map(textOf).join('');
}

class Distribution implements Times {
  readonly inBucket = new Float64Array(BOUNDS.length + 1);
  sum = 0;

  observe(seconds: number): void {
    const index = BOUNDS.findIndex((bound) => seconds <= bound);
    const bucket = index === -1 ? BOUNDS.length : index;
    this.inBucket[bucket] = (this.inBucket[bucket] ?? 0) + 1;
    this.sum += seconds;
  }
}

type Labels = Sample['labels'];

interface Cells<Names extends readonly string[], Cell> {
  at(...values: { readonly [Name in keyof Names]: string }): Cell;
  all(): Iterable<readonly [Labels, Cell]>;
}

function createCells<N extends readonly string[], Cell>(names: N, make: () => Cell): Cells<N, Cell> {
  const cells = new Map<string, readonly [Labels, Cell]>();
  const add = (key: string, values: readonly string[]): Cell => {
    const cell = make();
    cells.set(key, [names.map((name, index) => [name, values[index] ?? ''] as const), cell]);
    return cell;
  };
  const others = names.map(() => 'other');
  return {
    at(...values) {
      const key = values.join('\n');
      const known = cells.get(key);
      if (known !== undefined) return known[1];
      if (cells.size < MAX_CELLS) return add(key, values);
      return cells.get('')?.[1] ?? add('', others);
    },
    all: () => cells.values(),
  };
}

function labelled<N extends readonly string[], Cell>(
  name: string,
  help: string,
  type: Family['type'],
  cells: Cells<N, Cell>,
  samplesOf: (labels: Labels, cell: Cell) => Iterable<Sample>,
): Labelled<N, Cell> {
  return {
    name,
    help,
    type,
    at: cells.at,
    *samples() {
      for (const [labels, cell] of cells.all()) yield* samplesOf(labels, cell);
    },
  };
}

function textOf(family: Family): string {
  const { name, help, type } = family;
  let text = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  for (const { suffix = '', labels, value } of family.samples()) {
    const shown = labels.map(([label, word]) => `${label}="${escaped(word)}"`).join(',');
    text += `${name}${suffix}${shown === '' ? '' : `{${shown}}`} ${numeral(value)}\n`;
  }
  return text;
}

function escaped(value: string): string {
  return value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}

function numeral(value: number): string {
  return value === Infinity ? '+Inf' : String(value);
}
