/**
 * `npm run bench`: the built gateway beside peers that do the least that the same answer takes, in turns on the same
 * machine. Prints one Markdown table; nothing is asserted. An argument names the cases to run, all of them without.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bench } from './bench.js';
import { compareChat } from './cases/chat.js';
import { compareKeys } from './cases/keys.js';
import { compareModels } from './cases/models.js';
import { comparePostgres } from './cases/postgres.js';
import { compareProcesses, type ProcessFigure } from './cases/process.js';
import { compareRpc } from './cases/rpc.js';
import { type Compared, compare } from './compare.js';
import { conditions, table } from './report.js';
import { prepareSubject } from './subject.js';

const CASES = { models: compareModels, chat: compareChat, rpc: compareRpc, keys: compareKeys };

const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
const startedAt = performance.now();
const folder = mkdtempSync(join(tmpdir(), 'byway-bench-'));
try {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const bench = new Bench(folder, await prepareSubject(dataDir));
  const compared: Compared[] = [];
  for (const [name, prepare] of Object.entries(CASES)) {
    if (!isWanted(name)) continue;
    for (const comparison of await prepare(bench)) compared.push(await compare(comparison));
    await bench.stopServers();
  }
  const processes: ProcessFigure[] = isWanted('process') ? await compareProcesses(bench) : [];
  if (isWanted('postgres')) processes.push(...(await comparePostgres(folder)));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(`${conditions()}; ${seconds} s in all\n\n${table(compared, processes)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
