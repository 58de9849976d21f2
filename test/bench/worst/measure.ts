/** What one request costs a gateway, measured from outside. */
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { Server } from '../processes.js';
import { type RawRequest, send } from './request.js';

/** What a request did to the gateway. */
export interface Cost {
  /** The answer's status, or why there was none. */
  readonly status: string;
  /** The longest block of the event loop, as measured in the process. */
  readonly blockedMs: number;
  /** Of that, the CPU time of its thread: on a busy machine it also waits. */
  readonly busyMs: number;
  /** The longest wait of another client for `/healthz`. */
  readonly probeMs: number;
  readonly cpuMs: number;
  /** Memory at its peak, beyond what the process had before. */
  readonly growthBytes: number;
}

/** Between two probes. */
const PROBE_PAUSE_MS = 5;

/** Sends the request while polling `/healthz` on another connection. */
export async function costOf(
  server: Server,
  delayUrl: string,
  request: RawRequest,
  authorization: string | null,
): Promise<Cost> {
  forgetPeak(server);
  const memory = server.residentBytes() ?? Number.NaN;
  const cpu = server.cpuMs() ?? Number.NaN;
  const probe = new Probe(server.url);
  await probe.begun;
  await blockedSince(delayUrl);
  const status = await send(server.url, request, authorization);
  const probeMs = await probe.end();
  const blocked = await blockedSince(delayUrl);
  return {
    status,
    ...blocked,
    probeMs,
    cpuMs: (server.cpuMs() ?? Number.NaN) - cpu,
    growthBytes: peakBytes(server) - memory,
  };
}

async function blockedSince(delayUrl: string): Promise<Pick<Cost, 'blockedMs' | 'busyMs'>> {
  return JSON.parse(await get(delayUrl));
}

/** Polls on one connection. */
class Probe {
  readonly begun: Promise<void>;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  readonly #done: Promise<void>;
  #isOver = false;
  #maxMs = 0;

  constructor(origin: string) {
    const url = `${origin}/healthz`;
    this.begun = get(url, this.#agent).then(() => undefined);
    this.#done = this.begun.then(() => this.#run(url));
  }

  async #run(url: string): Promise<void> {
    while (!this.#isOver) {
      const began = performance.now();
      await get(url, this.#agent);
      this.#maxMs = Math.max(this.#maxMs, performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, PROBE_PAUSE_MS));
    }
  }

  /** The longest wait for an answer. */
  async end(): Promise<number> {
    this.#isOver = true;
    await this.#done;
    this.#agent.destroy();
    return this.#maxMs;
  }
}

function get(url: string, agent?: http.Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, agent === undefined ? { agent: false } : { agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      answer.once('end', () => resolve(text));
    });
    request.once('error', reject);
  });
}

function forgetPeak({ pid }: Server): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function peakBytes({ pid }: Server): number {
  if (process.platform !== 'linux') return Number.NaN;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
