/** `npm run recompute [sequences] [seed]`: runs sequences of 5,000 requests, 20 of them by default. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSequence } from './sequence.js';

const REQUESTS = 5_000;
const [sequences = '20', firstSeed = '1000'] = process.argv.slice(2);

let [requests, differences, charged, fees] = [0, 0, 0, 0];
for (let seed = Number(firstSeed); seed < Number(firstSeed) + Number(sequences); seed++) {
  const folder = mkdtempSync(join(tmpdir(), 'byway-recompute-'));
  const report = await runSequence(`sqlite:${join(folder, 'byway.db')}`, seed, REQUESTS);
  rmSync(folder, { recursive: true });
  requests += report.requests;
  differences += report.differences.length;
  charged += report.charged;
  fees += report.fees;
  const refused = [...report.refused].map(([reason, count]) => `${count} ${reason}`).join(', ');
  const counts = `${report.charged} charged, ${report.fees} with a fee, refused: ${refused}`;
  process.stdout.write(`seed ${seed}: ${counts}; ${Math.round(report.months)} months\n`);
  for (const difference of report.differences.slice(0, 20)) process.stdout.write(`  ${difference}\n`);
}
const verdict = differences === 0 ? 'all agree' : `${differences} differences`;
process.stdout.write(`${requests} requests, ${charged} charged, ${fees} with a fee: ${verdict}\n`);
process.exit(differences === 0 ? 0 : 1);
