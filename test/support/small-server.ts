/** The built server with the heap and the memory that the manifests give it, during the tests of a file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { limitMemory } from './memory-limit.js';
import { type ServerProcess, startServerProcess } from './server-process.js';

const MIB = 1024 * 1024;

/** What V8 takes of the memory, and the memory. */
const HEAP_MIB = 512;
const MEMORY_BYTES = 1024 * MIB;

/** What a single request, or its answer, may add to the memory of a process. */
const MAX_GROWTH_BYTES = 300 * MIB;

export class SmallServer {
  readonly server: ServerProcess;
  readonly #stop: () => Promise<void>;
  readonly #kills: () => number;
  readonly #grown: [string, number][] = [];

  private constructor(server: ServerProcess, kills: () => number, stop: () => Promise<void>) {
    this.server = server;
    this.#kills = kills;
    this.#stop = stop;
  }

  static async start(catalog: unknown): Promise<SmallServer> {
    const folder = mkdtempSync(join(tmpdir(), 'byway-catalog-'));
    const file = join(folder, 'catalog.json');
    writeFileSync(file, JSON.stringify(catalog));
    const server = await startServerProcess({
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
      BYWAY_CATALOG: file,
      BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1',
    });
    const limit = limitMemory(server.pid, MEMORY_BYTES);
    if (limit === undefined) process.stderr.write('memory can’t be limited here: only the heap is\n');
    return new SmallServer(
      server,
      () => limit?.kills() ?? 0,
      async () => {
        const code = await server.stop();
        limit?.remove();
        rmSync(folder, { recursive: true, force: true });
        expect(code).toBe(0);
      },
    );
  }

  get origin(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  get authorization(): string {
    return `Bearer ${this.server.apiKey}`;
  }

  /** Fails where it does not end by itself. */
  stop(): Promise<void> {
    return this.#stop();
  }

  /** That it still answers, and was never killed for its memory. */
  async expectAlive(title = ''): Promise<void> {
    const { status } = await fetch(`${this.origin}/healthz`);
    expect([title, status, this.#kills()]).toEqual([title, 200, 0]);
  }

  /** What `work` returns; what it takes at its peak is kept under its title for `expectSmall`. */
  async watch<T>(title: string, work: () => Promise<T>): Promise<T> {
    this.server.forgetPeak();
    const before = this.server.peakBytes();
    const result = await work();
    this.#grown.push([title, this.server.peakBytes() - before]);
    return result;
  }

  /** That nothing since has taken more than it may. */
  expectSmall(): void {
    expect(this.#grown.splice(0).filter(([, bytes]) => bytes > MAX_GROWTH_BYTES)).toEqual([]);
  }
}
