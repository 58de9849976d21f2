// Sends requests and measures how long each took: node paced.mjs SETTINGS. At a fixed rate, whether or not answers come,
// each counts from when it was due; without a rate, one after the other, from when it was sent. Several targets, each with
// its url and headers, get requests in turn. Prints percentiles in ms.
import { Pool } from 'undici';

const {
  url,
  method,
  headers,
  body,
  perSecond,
  requests,
  targets = [{ url, headers }],
} = JSON.parse(process.argv[2]);
const pools = new Map();
const connections = targets.map(connectionTo);
const latencies = [];
let errors = 0;
let sent = 0;

if (perSecond === undefined) for (let count = 0; count < requests; count++) await send(performance.now());
else await sendPaced();
latencies.sort((a, b) => a - b);
const percentile = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
process.stdout.write(JSON.stringify({ p50: percentile(0.5), p99: percentile(0.99), errors }));
process.exit();

function connectionTo({ url, headers }) {
  const { origin, pathname, search } = new URL(url);
  if (!pools.has(origin)) pools.set(origin, new Pool(origin, { connections: 512 }));
  return { pool: pools.get(origin), path: pathname + search, headers };
}

async function sendPaced() {
  const startedAt = performance.now() + 50;
  const pending = [];
  for (let next = 0; next < requests; ) {
    const due = startedAt + (next * 1000) / perSecond;
    const early = due - performance.now();
    if (early <= 0) {
      pending.push(send(due));
      next++;
    } else await new Promise((resolve) => setTimeout(resolve, early));
  }
  await Promise.all(pending);
}

async function send(from) {
  try {
    const { pool, path, headers } = connections[sent++ % connections.length];
    const answer = await pool.request({ path, method, headers, body });
    await answer.body.dump({ limit: Infinity });
    if (answer.statusCode >= 400) errors++;
  } catch {
    errors++;
  }
  latencies.push(performance.now() - from);
}
