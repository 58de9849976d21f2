import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { check } from 'recheck';
import { describe, expect, it } from 'vitest';
import { composedRegexes, type FoundRegex, regexLiterals } from './regexes.js';
import { fault, readSources } from './sources.js';

/** Up to as much as one header may hold. */
const SIZES = [24, 64, 256, 1_024, 4_096, 16_384];

/** A linear pattern takes less than a tenth of a millisecond or, with a match at every character, a few. */
const MAX_MS = 25;

/** A busy machine: processor time counts, and of so many runs the best. */
const RUNS = 5;

/** How long the analyser may look for a pattern's worst text. */
const ANALYSIS_MS = 1_000;

/** Patterns of src for which the analyser has looked in vain. A run analyses the others alone, with `UPDATE_GOLDEN=1` all. */
const ANALYSED_FILE = 'test/architecture/analysed-regexes.txt';
const UPDATES = process.env.UPDATE_GOLDEN === '1';
const ANALYSED = new Set(
  existsSync(ANALYSED_FILE) && !UPDATES ? readFileSync(ANALYSED_FILE, 'utf8').split('\n') : [],
);

/** What patterns that are no literals are made of is not what somebody sends: paths, names and numbers of the program's. */
const COMPOSED = ['src/providers/demo/answer.ts', 'src/providers/demo/script.ts', 'src/rest/not-found.ts'];

describe('a pattern takes linear time, whatever it is given', { timeout: 300_000 }, () => {
  it('every regular expression of src', async () => {
    const all = readSources('src').flatMap(regexLiterals);
    const patterns = new Map(all.map((found) => [writtenAs(found), found]));
    const slow: string[] = [];
    for (const found of patterns.values()) slow.push(...(await slowness(found)));
    expect(slow).toEqual([]);
    if (UPDATES) writeFileSync(ANALYSED_FILE, `${[...patterns.keys()].sort().join('\n')}\n`);
  });

  it('none but those is put together while the program runs', () => {
    const found = readSources('src').flatMap(composedRegexes);
    expect(found.map((line) => line.split(':')[0])).toEqual(COMPOSED);
  });
});

describe('the guard notices', () => {
  it.each([
    [String.raw`^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?;?[ \t]*$`, 'i'],
    ['0+$', ''],
    [String.raw`\.([a-z0-9]+)(?:[?#].*)?$`, 'i'],
    [String.raw`\S*\*\*\S*`, 'g'],
    ['^(a+)+$', ''],
  ])('/%s/%s', async (source, flags) => {
    const file = { path: 'src/a.ts', text: `const a = /${source}/${flags};` };
    const [found] = regexLiterals(file);
    expect(found).toEqual({ file, line: 1, source, flags });
    expect(found && (await slowness(found))).toEqual([expect.stringMatching(/^src\/a\.ts:1 .* took /)]);
  });

  it('and not what is linear, or no regular expression at all', async () => {
    const text = ['const a = /^[a-z0-9-]{1,50}$/; // /0+$/', "const b = 4 / 2 / 1; const c = '/0+$/';"].join(
      '\n',
    );
    const found = regexLiterals({ path: 'src/a.ts', text });
    expect(found.map(({ source }) => source)).toEqual(['^[a-z0-9-]{1,50}$']);
    expect((await Promise.all(found.map(slowness))).flat()).toEqual([]);
    expect(
      composedRegexes({ path: 'src/a.ts', text: "new RegExp('a'); RegExp(b); new Map();" }),
    ).toHaveLength(2);
  });
});

/** A text of about so many characters. */
type Attack = (characters: number) => string;

/** What is wrong with the pattern: the first text that it is slow on. Patterns may take for ever: small ones go first. */
async function slowness(found: FoundRegex): Promise<string[]> {
  const { file, line, source, flags } = found;
  const pattern = new RegExp(source, `${flags.replace('g', '')}g`);
  const worst = ANALYSED.has(writtenAs(found)) ? [] : await worstAttacks(source, flags);
  const attacks = [...usualAttacks(source), ...worst];
  for (const characters of SIZES) {
    for (const attack of attacks) {
      const text = attack(characters);
      const ms = fastest(pattern, text);
      if (ms > MAX_MS) {
        const beginning = JSON.stringify(text.slice(0, 40));
        return [fault(file, line, `${writtenAs(found)} took ${Math.round(ms)} ms for ${beginning}...`)];
      }
    }
  }
  return [];
}

function writtenAs({ source, flags }: FoundRegex): string {
  return `/${source}/${flags}`;
}

/** The milliseconds of processor time that looking for the pattern all over the text takes at best. */
function fastest(pattern: RegExp, text: string): number {
  let best = Infinity;
  for (let run = 0; run < RUNS && best > MAX_MS; run += 1) {
    const began = process.cpuUsage();
    text.replace(pattern, '');
    const { user, system } = process.cpuUsage(began);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

/** What the analyser finds. */
async function worstAttacks(source: string, flags: string): Promise<Attack[]> {
  const found = await check(source, flags, { timeout: ANALYSIS_MS });
  if (found.status !== 'vulnerable') return [];
  const { pumps, suffix } = found.attack;
  const pumped = pumps.reduce((sum, { pump }) => sum + pump.length, 0);
  return [
    (characters) => {
      const times = Math.ceil(characters / Math.max(1, pumped));
      return pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join('') + suffix;
    },
  ];
}

/** One character, and each word of the pattern, over and over, behind what the pattern begins with. */
function usualAttacks(source: string): Attack[] {
  const words = source.match(/[A-Za-z][A-Za-z0-9 :_-]+/g) ?? [];
  const [, beginning = ''] = /^\^?((?:[A-Za-z0-9 :_-]|\\\/)*)/.exec(source) ?? [];
  const pumps = [...' \t\n0aA-./*":;,=_', ...words, ...words.map((word) => `${word}-`)];
  return pumps.flatMap((pump) =>
    ['', beginning.replaceAll('\\', '')].map(
      (start): Attack =>
        (characters) =>
          `${start}${pump.repeat(Math.ceil(characters / pump.length))}\0`,
    ),
  );
}
