import { freePort } from '../../../scripts/free-port.mjs';
import type { Bench } from '../bench.js';
import { BINARY_SHAPES } from '../worst/binary-shapes.js';
import { CHAT_SHAPES } from '../worst/chat-shapes.js';
import { type Cost, costOf } from '../worst/measure.js';
import { nestedShapes } from '../worst/nested-shapes.js';
import { OTHER_SHAPES } from '../worst/other-shapes.js';
import type { Caller, RawRequest } from '../worst/request.js';
import type { Shape } from '../worst/shape.js';
import { SINK_SLUGS, startSink } from '../worst/sink.js';
import { type SinkGateway, startSinkGateway } from '../worst/sink-gateway.js';

/** Counts that are tried of each shape, beside as many as fit the body: close to the limits on structure. */
const COUNTS = [199_000, 49_000, 9_900];

/** How many of them are refined, and with what fractions of their counts. */
const REFINED = 12;
const FRACTIONS = [0.85, 0.5, 0.25];

/** How many are reported, and how often each is sent again: its lowest cost counts, without disturbances. */
const REPORTED = 5;
const CANDIDATES = 12;
const REPEATS = 7;

const MIB = 1024 * 1024;

/** A request of a shape, and what it has cost. */
interface Tried {
  readonly shape: Shape;
  readonly count: number;
  readonly cost: Cost;
}

/**
 * Searches for the requests that block the gateway's event loop for the longest, over a family of shapes and their
 * sizes, and reports the worst: of all kinds, and of those that nest and are sent on to every kind of provider. Each is
 * sent alone, while `/healthz` is polled.
 */
export async function searchWorstRequest(bench: Bench): Promise<string> {
  const delay = await freePort();
  const server = await bench.startByway([LOOP_DELAY], { BENCH_DELAY_PORT: String(delay) });
  const plain = new Gateway({ server, ...bench.subject }, delay);
  const all = await search(plain, [...CHAT_SHAPES, ...OTHER_SHAPES, ...BINARY_SHAPES]);
  await bench.stopServers();
  const nested = await searchNested(bench);
  return `${all}\nNested, and sent on:\n\n${nested}`;
}

async function searchNested(bench: Bench): Promise<string> {
  const sink = await startSink();
  try {
    const delay = await freePort();
    const env = { BENCH_DELAY_PORT: String(delay) };
    const started = await startSinkGateway(bench.folder, sink, [LOOP_DELAY], env);
    try {
      const shapes = SINK_SLUGS.flatMap((slug) => nestedShapes(slug, sink));
      return await search(new Gateway(started, delay), shapes);
    } finally {
      await started.server.stop();
    }
  } finally {
    await sink.close();
  }
}

async function search(gateway: Gateway, shapes: readonly Shape[]): Promise<string> {
  const tried: Tried[] = [];
  const attempt = async (shape: Shape, count: number) => {
    tried.push({ shape, count, cost: await gateway.costOf(shape.make(count)) });
  };
  for (const shape of shapes) for (const count of countsOf(shape)) await attempt(shape, count);
  for (const { shape, count } of tried.toSorted(byCost).slice(0, REFINED)) {
    for (const fraction of FRACTIONS) await attempt(shape, Math.ceil(count * fraction));
  }
  const searched = tried.length;
  const mostExpensive: Tried[] = [];
  for (const { shape, count } of tried.toSorted(byCost).slice(0, CANDIDATES)) {
    const request = shape.make(count);
    const costs: Cost[] = [];
    for (let repeat = 0; repeat < REPEATS; repeat += 1) costs.push(await gateway.costOf(request));
    mostExpensive.push({ shape, count, cost: cheapest(costs) });
  }
  const largest = tried.reduce((max, { cost }) => Math.max(max, cost.growthBytes), 0);
  const rows = mostExpensive.toSorted(byCost).slice(0, REPORTED).map(row);
  return `${HEAD}${rows.join('')}\n${searched} requests; memory beyond what was there before, at most: ${mebibytes(largest)}\n`;
}

/** Loaded before a gateway. */
const LOOP_DELAY = './worst/loop-delay.mjs';

/** The gateway and its callers. */
class Gateway {
  readonly #gateway: SinkGateway;
  readonly #delayUrl: string;

  constructor(gateway: SinkGateway, delayPort: number) {
    this.#gateway = gateway;
    this.#delayUrl = `http://127.0.0.1:${delayPort}`;
  }

  costOf(request: RawRequest): Promise<Cost> {
    const { server } = this.#gateway;
    return costOf(server, this.#delayUrl, request, this.#authorization(request.caller));
  }

  #authorization(caller: Caller): string | null {
    const { apiKey, managementKey } = this.#gateway;
    if (caller === 'nobody') return null;
    return `Bearer ${caller === 'api key' ? apiKey : managementKey}`;
  }
}

/** What fits a line or a header is tried only at its max: there is little of it. */
function countsOf({ maxCount }: Shape): number[] {
  return [maxCount, ...COUNTS.filter((count) => count < maxCount / 2)];
}

function byCost(a: Tried, b: Tried): number {
  return b.cost.busyMs - a.cost.busyMs;
}

/** The lowest of each cost, but for memory, of which some may be left from before. */
function cheapest(costs: readonly Cost[]): Cost {
  const [first] = costs;
  if (first === undefined) throw new RangeError('nothing was sent');
  return costs.reduce(
    (one, other) => ({
      status: other.status,
      blockedMs: Math.min(one.blockedMs, other.blockedMs),
      busyMs: Math.min(one.busyMs, other.busyMs),
      probeMs: Math.min(one.probeMs, other.probeMs),
      cpuMs: Math.min(one.cpuMs, other.cpuMs),
      growthBytes: Math.max(one.growthBytes, other.growthBytes),
    }),
    first,
  );
}

const HEAD =
  '| Worst request | Answer | Loop held | of it on a processor | /healthz waited | CPU | Memory |\n| --- | --- | --: | --: | --: | --: | --: |\n';

function row({ shape, count, cost }: Tried): string {
  const { status, blockedMs, busyMs, probeMs, cpuMs, growthBytes } = cost;
  const times = [blockedMs, busyMs, probeMs, cpuMs].map((ms) => `${ms.toFixed(0)} ms`);
  const cells = [`${shape.name}, ${count} of them`, status, ...times, mebibytes(growthBytes)];
  return `| ${cells.join(' | ')} |\n`;
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}
