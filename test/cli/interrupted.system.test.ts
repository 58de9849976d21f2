/** Commands that are interrupted, wherever they are: nothing is half done, and the next run does all of it. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildByway, byway, documentOf, emptyDataDir, spawnByway } from '../support/byway.js';
import { demoModel, demoProvider } from '../support/catalog.js';

beforeAll(buildByway, 180_000);

const MODELS = 1_500;

/** Runs the command, and sends the signal after so many milliseconds; what has ended it. */
async function interrupted(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: NodeJS.Signals,
  ms: number,
) {
  const child = spawnByway(args, env);
  const timer = setTimeout(() => child.process.kill(signal), ms);
  const [code, by] = await once(child.process, 'exit');
  clearTimeout(timer);
  return code ?? by;
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'an import that %s ends has changed nothing, or all',
  async (signal) => {
    const dataDir = emptyDataDir();
    const env = { BYWAY_DATA_DIR: dataDir };
    const fileOf = (name: string, count: number) => {
      const file = join(dirname(dataDir), `${name}.json`);
      const models = Array.from({ length: count }, (_, index) =>
        demoModel(`test/${name}-${index}`, ['demo']),
      );
      writeFileSync(file, JSON.stringify({ providers: [demoProvider('demo')], models }));
      return file;
    };
    expect((await byway(['catalog', 'import', fileOf('old', 2)], env)).code).toBe(0);
    const next = fileOf('new', MODELS);
    const from = performance.now();
    expect((await byway(['catalog', 'import', next], { BYWAY_DATA_DIR: emptyDataDir() })).code).toBe(0);
    const usualMs = performance.now() - from;
    const ends = new Set<unknown>();
    for (let step = 1; step <= 4; step++) {
      ends.add(await interrupted(['catalog', 'import', next], env, signal, (usualMs * step) / 5));
      const { stdout } = await byway(['catalog', 'export'], env);
      const names: string[] = [...stdout.matchAll(/"test\/(old|new)-\d+"/g)].map(([, name = '']) => name);
      expect(new Set(names).size).toBe(1);
      if (names[0] === 'new') break;
    }
    expect(ends).toContain(signal);
    const checked = await byway(['db', 'check', '--json'], env);
    expect([checked.code, documentOf(checked)]).toMatchObject([0, expect.anything()]);
    expect((await byway(['catalog', 'import', next], env)).code).toBe(0);
  },
  120_000,
);
