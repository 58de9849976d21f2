// Loaded before a gateway: tells on a port of its own how long the event loop was held at most since it was last asked.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How often the loop is looked at; what is told is beyond that. */
const RESOLUTION_MS = 1;
const NANOSECONDS_PER_MS = 1e6;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

/** Time on a processor of the thread that the loop runs on; without the waiting for it that a busy machine adds. */
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
  answer.end(JSON.stringify({ holdMs: Math.max(0, delay.max / NANOSECONDS_PER_MS - RESOLUTION_MS), busyMs }));
  delay.reset();
  busyMs = 0;
})
  .listen(Number(process.env.BENCH_DELAY_PORT), '127.0.0.1')
  .unref();
