import type { Bench } from '../bench.js';
import { freePort, type Server } from '../processes.js';
import { BINARY_SHAPES } from '../worst/binary-shapes.js';
import { CHAT_SHAPES } from '../worst/chat-shapes.js';
import { type Cost, costOf } from '../worst/measure.js';
import { OTHER_SHAPES } from '../worst/other-shapes.js';
import type { Caller, RawRequest } from '../worst/request.js';
import type { Shape } from '../worst/shape.js';

/** Counts that are tried of each shape, beside as many as fit the body: about those of the bounds on structure. */
const COUNTS = [199_000, 49_000, 9_900];

/** Those around which is searched on, and with what parts of their counts. */
const REFINED = 12;
const PARTS = [0.85, 0.5, 0.25];

/** Those that are told, and how often each is sent again: of its costs the least counts, without what others add. */
const TOLD = 5;
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
 * Searches for the request that holds the gateway's event loop for the longest, over a family of shapes and their sizes,
 * and tells of the worst. Each is sent alone, `/healthz` being asked for beside it.
 */
export async function searchWorstRequest(bench: Bench): Promise<string> {
  const gateway = await Gateway.start(bench);
  const tried: Tried[] = [];
  const attempt = async (shape: Shape, count: number) => {
    tried.push({ shape, count, cost: await gateway.costOf(shape.make(count)) });
  };
  for (const shape of [...CHAT_SHAPES, ...OTHER_SHAPES, ...BINARY_SHAPES]) {
    for (const count of countsOf(shape)) await attempt(shape, count);
  }
  for (const { shape, count } of tried.toSorted(worstFirst).slice(0, REFINED)) {
    for (const part of PARTS) await attempt(shape, Math.ceil(count * part));
  }
  const searched = tried.length;
  const maxCost: Tried[] = [];
  for (const { shape, count } of tried.toSorted(worstFirst).slice(0, CANDIDATES)) {
    const request = shape.make(count);
    const costs: Cost[] = [];
    for (let repeat = 0; repeat < REPEATS; repeat += 1) costs.push(await gateway.costOf(request));
    maxCost.push({ shape, count, cost: least(costs) });
  }
  const largest = tried.reduce((max, { cost }) => Math.max(max, cost.growthBytes), 0);
  const rows = maxCost.toSorted(worstFirst).slice(0, TOLD).map(row);
  return `${HEAD}${rows.join('')}\n${searched} requests; memory beyond what was there before, at most: ${mebibytes(largest)}\n`;
}

/** The gateway and those who call it. */
class Gateway {
  readonly #bench: Bench;
  readonly #server: Server;
  readonly #delayUrl: string;

  static async start(bench: Bench): Promise<Gateway> {
    const port = await freePort();
    const server = await bench.startByway(['./worst/loop-delay.mjs'], { BENCH_DELAY_PORT: String(port) });
    return new Gateway(bench, server, `http://127.0.0.1:${port}`);
  }

  private constructor(bench: Bench, server: Server, delayUrl: string) {
    this.#bench = bench;
    this.#server = server;
    this.#delayUrl = delayUrl;
  }

  costOf(request: RawRequest): Promise<Cost> {
    return costOf(this.#server, this.#delayUrl, request, this.#authorization(request.caller));
  }

  #authorization(caller: Caller): string | null {
    const { apiKey, managementKey } = this.#bench.subject;
    if (caller === 'nobody') return null;
    return `Bearer ${caller === 'api key' ? apiKey : managementKey}`;
  }
}

/** What fits a line or a header is tried as it is: there is little of it. */
function countsOf({ most }: Shape): number[] {
  return [most, ...COUNTS.filter((count) => count < most / 2)];
}

function worstFirst(a: Tried, b: Tried): number {
  return b.cost.busyMs - a.cost.busyMs;
}

/** The least of each cost, but for memory: of that there may be some left from before. */
function least(costs: readonly Cost[]): Cost {
  const [first] = costs;
  if (first === undefined) throw new RangeError('nothing was sent');
  return costs.reduce(
    (one, other) => ({
      status: other.status,
      holdMs: Math.min(one.holdMs, other.holdMs),
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
  const { status, holdMs, busyMs, probeMs, cpuMs, growthBytes } = cost;
  const times = [holdMs, busyMs, probeMs, cpuMs].map((ms) => `${ms.toFixed(0)} ms`);
  const cells = [`${shape.name}, ${count} of them`, status, ...times, mebibytes(growthBytes)];
  return `| ${cells.join(' | ')} |\n`;
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}
