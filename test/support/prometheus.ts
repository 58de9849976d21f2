import { send } from './rest.js';
/** A strict reader of the Prometheus text format, version 0.0.4: throws for whatever a scraper would refuse. */

/** One family of the text. */
export interface ReadFamily {
  readonly type: string;
  readonly samples: readonly ReadSample[];
}

/** One line of a family: its name may have a suffix. */
export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = String.raw`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"`;
// Scrapers read numbers as Go does, which takes the `Nan` of prom-client too.
const SAMPLE = new RegExp(
  String.raw`^(${NAME})(?:\{((?:${LABEL},?)*)\})? (N[Aa][Nn]|[+-]Inf|[+-]?[0-9.]+(?:e[+-]?\d+)?)$`,
);
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

/** Families by name. Throws for invalid lines, families without HELP and TYPE, and duplicate families and samples. */
export function readExposition(text: string): Map<string, ReadFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, { type: string; samples: ReadSample[] }>();
  const seen = new Set<string>();
  let helped: string | undefined;
  let current: string | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const help = new RegExp(`^# HELP (${NAME}) \\S.*$`).exec(line);
    const type = new RegExp(`^# TYPE (${NAME}) (\\w+)$`).exec(line);
    if (help !== null) {
      helped = help[1];
    } else if (type !== null) {
      const [, name = '', word = ''] = type;
      if (name !== helped || families.has(name) || !TYPES.includes(word))
        throw new Error(`out of place: ${line}`);
      families.set(name, { type: word, samples: [] });
      current = name;
    } else if (line !== '') {
      const sample = readSample(line);
      const family = families.get(current ?? '');
      const suffixes = family?.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      if (!suffixes.some((suffix) => sample.name === `${current}${suffix}`))
        throw new Error(`stray: ${line}`);
      const id = `${sample.name}${JSON.stringify(Object.entries(sample.labels).toSorted())}`;
      if (seen.has(id)) throw new Error(`told twice: ${line}`);
      seen.add(id);
      family?.samples.push(sample);
    }
  }
  for (const [name, family] of families) checkFamily(name, family);
  return families;
}

/** The value of the sample with exactly these labels; undefined when there is none. */
export function sampleValue(
  families: ReadonlyMap<string, ReadFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
  const wanted = JSON.stringify(Object.entries(labels).toSorted());
  return family?.samples.find(
    (sample) => sample.name === name && JSON.stringify(Object.entries(sample.labels).toSorted()) === wanted,
  )?.value;
}

function readSample(line: string): ReadSample {
  const match = SAMPLE.exec(line);
  if (match === null) throw new Error(`no sample: ${line}`);
  const [, name = '', block = ''] = match;
  const pairs = [...block.matchAll(new RegExp(LABEL, 'g'))].map(([, label = '', value = '']) => [
    label,
    value,
  ]);
  if (new Set(pairs.map(([label]) => label)).size < pairs.length) throw new Error(`a label twice: ${line}`);
  return { name, labels: Object.fromEntries(pairs), value: numberOf(match.at(-1) ?? '') };
}

function numberOf(text: string): number {
  if (text.endsWith('Inf')) return text.startsWith('-') ? -Infinity : Infinity;
  return Number(text);
}

/** Counters are named as such and never negative; the buckets of a histogram grow up to its count. */
function checkFamily(name: string, { type, samples }: ReadFamily): void {
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0)))
    throw new Error(`${name} is negative`);
  if (type !== 'histogram') return;
  const bySeries = new Map<string, ReadSample[]>();
  for (const sample of samples) {
    const { le, ...labels } = sample.labels;
    const series = JSON.stringify(labels);
    bySeries.set(series, [...(bySeries.get(series) ?? []), sample]);
  }
  for (const [series, lines] of bySeries) {
    const buckets = lines.filter((line) => line.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => numberOf(labels.le ?? ''));
    const counts = buckets.map(({ value }) => value);
    const count = lines.find((line) => line.name === `${name}_count`)?.value;
    const isSorted = (list: readonly number[]) =>
      list.every((value, i) => i === 0 || value >= (list[i - 1] ?? 0));
    const isWhole =
      bounds.at(-1) === Infinity && counts.at(-1) === count && lines.length === buckets.length + 2;
    if (!isSorted(bounds) || !isSorted(counts) || !isWhole)
      throw new Error(`${name}${series} is no histogram`);
  }
}

/** What the gateway shows to its operator. */
export async function scrape({
  url,
  operatorKey,
}: {
  readonly url: string;
  readonly operatorKey: string;
}): Promise<ReadonlyMap<string, ReadFamily>> {
  const headers = { authorization: `Bearer ${operatorKey}` };
  const answer = await send(`${url}/metrics`, 'GET', { headers });
  if (answer.status !== 200) throw new Error(`no metrics: ${answer.status}`);
  return readExposition(answer.text);
}
