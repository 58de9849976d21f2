import { writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../scripts/free-port.mjs';
import type { Bench } from '../bench.js';
import { type Server, startByway, startProvider } from '../processes.js';
import type { AnswerShape, ScriptedAnswer } from '../worst/answer-shape.js';
import { answerShapes } from '../worst/answer-shapes.js';
import { type Cost, costOf } from '../worst/measure.js';
import { addScriptedKeys, requestFor, scriptedCatalog, titleOf } from '../worst/scripted.js';

/** How many are reported, and how many are sent again, how often: the lowest cost counts, without disturbances. */
const REPORTED = 5;
const CANDIDATES = 12;
const REPEATS = 3;

const MIB = 1024 * 1024;

interface Tried {
  readonly shape: AnswerShape;
  readonly cost: Cost;
}

/**
 * Searches for the provider's answer that blocks the gateway's event loop for the longest, over every protocol, and
 * reports the worst. Each is sent alone, while `/healthz` is polled.
 */
export async function searchWorstAnswer(bench: Bench): Promise<string> {
  const gateway = await ScriptedGateway.start(bench);
  const tried: Tried[] = [];
  for (const shape of answerShapes()) tried.push({ shape, cost: await gateway.costOf(shape, shape.make()) });
  const again: Tried[] = [];
  for (const { shape } of tried.toSorted(byHeld).slice(0, CANDIDATES)) {
    const answer = shape.make();
    const costs: Cost[] = [];
    for (let repeat = 0; repeat < REPEATS; repeat += 1) costs.push(await gateway.costOf(shape, answer));
    again.push({ shape, cost: costs.reduce((a, b) => (a.busyMs < b.busyMs ? a : b)) });
  }
  await gateway.stop();
  const held = again.toSorted(byHeld).slice(0, REPORTED);
  const grown = tried.toSorted((a, b) => b.cost.growthBytes - a.cost.growthBytes).slice(0, REPORTED);
  return [
    `${HEAD}${held.map(row).join('')}`,
    `${HEAD}${grown.map(row).join('')}`,
    `${tried.length} answers\n`,
  ].join('\n');
}

/** A gateway whose every provider answers what it is told to. */
class ScriptedGateway {
  readonly #server: Server;
  readonly #provider: Server;
  readonly #delayUrl: string;
  readonly #authorization: string;

  static async start({ folder }: Bench): Promise<ScriptedGateway> {
    const provider = await startProvider('scripted', {});
    const dataDir = await mkdtemp(join(folder, 'scripted-'));
    const catalogFile = join(dataDir, 'catalog.json');
    writeFileSync(catalogFile, JSON.stringify(scriptedCatalog(provider.url)));
    const delayPort = await freePort();
    const server = await startByway(
      {
        BYWAY_DATA_DIR: dataDir,
        BYWAY_CATALOG: catalogFile,
        BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1',
        BENCH_DELAY_PORT: String(delayPort),
      },
      ['./worst/loop-delay.mjs'],
    );
    const keys = await printedKeys(server);
    await addScriptedKeys(server.url, keys.management, provider.url);
    return new ScriptedGateway(server, provider, `http://127.0.0.1:${delayPort}`, `Bearer ${keys.api}`);
  }

  private constructor(server: Server, provider: Server, delayUrl: string, authorization: string) {
    this.#server = server;
    this.#provider = provider;
    this.#delayUrl = delayUrl;
    this.#authorization = authorization;
  }

  async costOf(shape: AnswerShape, { status, headers, body }: ScriptedAnswer): Promise<Cost> {
    const told = { 'x-answer': JSON.stringify({ status, headers }) };
    await fetch(this.#provider.url, { method: 'PUT', headers: told, body: new Uint8Array(body) });
    return costOf(this.#server, this.#delayUrl, requestFor(shape), this.#authorization);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#server.stop(), this.#provider.stop()]);
  }
}

/** They may be printed a moment after the port has answered. */
async function printedKeys(server: Server): Promise<{ readonly api: string; readonly management: string }> {
  for (let look = 0; look < 500; look += 1) {
    const api = /bw-v1-[0-9a-f]{64}/.exec(server.output())?.[0];
    const management = /bw-mgmt-[0-9a-f]{64}/.exec(server.output())?.[0];
    if (api !== undefined && management !== undefined) return { api, management };
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the first start printed no keys');
}

function byHeld(a: Tried, b: Tried): number {
  return b.cost.busyMs - a.cost.busyMs;
}

const HEAD =
  '| Worst answer | Client got | Loop held | of it on a processor | /healthz waited | CPU | Memory |\n| --- | --- | --: | --: | --: | --: | --: |\n';

function row({ shape, cost }: Tried): string {
  const times = [cost.blockedMs, cost.busyMs, cost.probeMs, cost.cpuMs].map((ms) => `${ms.toFixed(0)} ms`);
  return `| ${[titleOf(shape), cost.status, ...times, `${Math.round(cost.growthBytes / MIB)} MiB`].join(' | ')} |\n`;
}
