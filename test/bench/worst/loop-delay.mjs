// Loaded before a gateway: reports on a port of its own the longest block of the event loop since the last request.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How often the loop is sampled; the reported delay is beyond that. */
const RESOLUTION_MS = 1;
const NANOSECONDS_PER_MS = 1e6;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

/** CPU time of the loop's thread, without the waiting that a busy machine adds. */
function threadMs() {
  const [running] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return Number(running) / NANOSECONDS_PER_MS;
}

let busyMs = 0;
let before = threadMs();
setInterval(() => {
  const now = threadMs();
  busyMs = Math.max(busyMs, now - before);
  before = now;
}, RESOLUTION_MS).unref();

createServer((_, answer) => {
  answer.end(
    JSON.stringify({ blockedMs: Math.max(0, delay.max / NANOSECONDS_PER_MS - RESOLUTION_MS), busyMs }),
  );
  delay.reset();
  busyMs = 0;
})
  .listen(Number(process.env.BENCH_DELAY_PORT), '127.0.0.1')
  .unref();
