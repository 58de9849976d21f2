// Sends the same body with the next of many secrets each time: node keyed.mjs SETTINGS. Over so many connections as fast as it
// is answered, or at a fixed rate, where each counts from when it was due, and those of the first second not at all: the
// loader compiles its code then, and connects. Prints how many a second, and percentiles in ms.
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const { url, body, secretsFile, seconds, connections, requests = 0, perSecond } = JSON.parse(process.argv[2]);
const secrets = readFileSync(secretsFile, 'utf8').split('\n');
const { origin, pathname: path } = new URL(url);
const pool = new Pool(origin, { connections: connections ?? 512 });
const WARM_UP_SECONDS = 1;
const latencies = [];
let errors = 0;
let sent = 0;

const startedAt = performance.now();
const endsAt = startedAt + seconds * 1000;
if (perSecond === undefined) await Promise.all(Array.from({ length: connections }, sendOn));
else await sendPaced();
const tookMs = performance.now() - startedAt;
latencies.sort((a, b) => a - b);
const percentile = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
const answered = ((latencies.length - errors) * 1000) / tookMs;
process.stdout.write(
  JSON.stringify({ perSecond: answered, p50: percentile(0.5), p99: percentile(0.99), errors }),
);
process.exit();

async function sendOn() {
  while (performance.now() < endsAt || sent < requests) await send(performance.now());
}

async function sendPaced() {
  const pending = [];
  const uncounted = perSecond * WARM_UP_SECONDS;
  for (let next = 0; next < perSecond * seconds + uncounted; ) {
    const due = startedAt + (next * 1000) / perSecond;
    const early = due - performance.now();
    if (early <= 0) {
      pending.push(send(due, next < uncounted));
      next++;
    } else await new Promise((resolve) => setTimeout(resolve, early));
  }
  await Promise.all(pending);
}

async function send(from, isUncounted = false) {
  try {
    const headers = {
      authorization: `Bearer ${secrets[sent++ % secrets.length]}`,
      'content-type': 'application/json',
    };
    const answer = await pool.request({ path, method: 'POST', headers, body });
    await answer.body.dump({ limit: Infinity });
    if (answer.statusCode >= 400) errors++;
  } catch {
    errors++;
  }
  if (!isUncounted) latencies.push(performance.now() - from);
}
