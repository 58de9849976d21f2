/** Every signal that Node has, as docs/operations.md#signals says, to the built program. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { buildByway, emptyDataDir, spawnByway } from '../support/byway.js';
import { emptyDatabaseUrl, usualKind } from '../support/database.js';
import { sampleValue, scrape } from '../support/prometheus.js';

beforeAll(buildByway, 180_000);

const WAIT = { timeout: 30_000, interval: 50 };

/** What the page says, by signal. */
const TABLE: ReadonlyMap<NodeJS.Signals, string> = new Map(
  readFileSync('docs/operations.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `SIG'))
    .flatMap((line) => {
      const [names = '', effect = ''] = line.slice(2).split(' | ');
      return [...names.matchAll(/`(SIG\w+)`/g)].map(([, name]): [NodeJS.Signals, string] => [
        name as NodeJS.Signals,
        effect,
      ]);
    }),
);

function signalsThat(effect: RegExp): NodeJS.Signals[] {
  return [...TABLE].flatMap(([signal, text]) =>
    effect.test(text) && signal in constants.signals ? [signal] : [],
  );
}

const NOTHING = [...signalsThat(/^nothing/), ...signalsThat(/^rereads/)];
const DRAINING = signalsThat(/^drains/);
const PAUSING = signalsThat(/^stops it/);
const ENDING = signalsThat(/^ends it/);

test('the page tells of every signal there is, and of each once', () => {
  expect([...TABLE.keys()].sort()).toEqual(Object.keys(constants.signals).sort());
  const told = [...NOTHING, ...DRAINING, ...PAUSING, ...ENDING];
  expect(told.sort()).toEqual([...TABLE.keys()].sort());
});

type Environment = Readonly<Record<string, string>>;

interface Serving {
  readonly process: ReturnType<typeof spawnByway>['process'];
  readonly url: string;
  readonly pids: readonly number[];
  readonly apiKey: string;
  stdout(): string;
  stderr(): string;
  /** Begins a stream. */
  stream(model?: string): Promise<Response>;
}

async function serve(env: Environment, workers: number): Promise<Serving> {
  const server = spawnByway(['serve', '--print-keys'], { HOST: '127.0.0.1', PORT: '0', ...env });
  const found = (pattern: RegExp) => [...server.stdout().matchAll(pattern)];
  await vi.waitFor(() => {
    expect(found(/"msg":"Server listening at /g)).toHaveLength(workers);
    expect(found(/API key +bw-v1-/g)).toHaveLength(1);
  }, WAIT);
  const url = found(/Server listening at ([^"]+)/g)[0]?.[1] ?? '';
  const apiKey = found(/API key +(bw-v1-[0-9a-f]{64})/g)[0]?.[1] ?? '';
  return {
    ...server,
    ...{ url, apiKey },
    pids: found(/"pid":(\d+),[^\n]*"msg":"Server listening/g).map(([, pid]) => Number(pid)),
    stream: (model = 'demo/echo') =>
      fetch(`${url}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model,
          stream: true,
          messages: [{ role: 'user', content: 'word '.repeat(400) }],
        }),
      }),
  };
}

const alone = () => serve({ BYWAY_DATA_DIR: emptyDataDir() }, 1);

async function openStreams({ url, stdout }: Serving): Promise<number> {
  const operatorKey = /operator key +(bw-op-[0-9a-f]{64})/.exec(stdout())?.[1] ?? '';
  return sampleValue(await scrape({ url, operatorKey }), 'byway_open_streams') ?? 0;
}

async function isServing({ url }: Serving): Promise<boolean> {
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  return answer?.status === 200;
}

describe('a process that serves alone', () => {
  test('goes on at signals that do nothing, without a debugger', async () => {
    const server = await alone();
    const answer = await server.stream();
    for (const signal of NOTHING) {
      server.process.kill(signal);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect([signal, await isServing(server)]).toEqual([signal, true]);
    }
    expect(await answer.text()).toMatch(/data: \[DONE\]\s*$/);
    expect(server.stderr()).toBe('');
    expect(server.stdout()).toContain('there is no TLS certificate to reload');
  }, 60_000);

  test.each(DRAINING)(
    'drains at %s: what is in flight is answered, and the exit code is 0',
    async (signal) => {
      const server = await alone();
      const answer = await server.stream();
      server.process.kill(signal);
      expect(await answer.text()).toMatch(/data: \[DONE\]\s*$/);
      expect(await once(server.process, 'exit')).toEqual([0, null]);
    },
    60_000,
  );

  test('ends at once, with 1, at a second signal', async () => {
    const server = await alone();
    const failed = server.stream('demo/stall').then(
      () => false,
      () => true,
    );
    await vi.waitFor(async () => expect(await openStreams(server)).toBe(1), WAIT);
    server.process.kill('SIGTERM');
    await vi.waitFor(() => expect(server.stdout()).toContain('"draining"'), WAIT);
    server.process.kill('SIGINT');
    expect(await once(server.process, 'exit')).toEqual([1, null]);
    expect(await failed).toBe(true);
  }, 60_000);

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'takes %s for one that comes again within a second, as npm passes on what a whole group has got',
    async (signal) => {
      const server = await alone();
      const answer = await server.stream();
      server.process.kill(signal);
      await vi.waitFor(() => expect(server.stdout()).toContain('"draining"'), WAIT);
      server.process.kill(signal);
      expect(await answer.text()).toMatch(/data: \[DONE\]\s*$/);
      expect(await once(server.process, 'exit')).toEqual([0, null]);
    },
    60_000,
  );

  test('ends at once, with 1, at the same signal a second later', async () => {
    const server = await alone();
    const failed = server.stream('demo/stall').then(
      () => false,
      () => true,
    );
    await vi.waitFor(async () => expect(await openStreams(server)).toBe(1), WAIT);
    server.process.kill('SIGINT');
    await vi.waitFor(() => expect(server.stdout()).toContain('"draining"'), WAIT);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    server.process.kill('SIGINT');
    expect(await once(server.process, 'exit')).toEqual([1, null]);
    expect(await failed).toBe(true);
  }, 60_000);

  test('ends at once with 0 at a signal to drain before it serves', async () => {
    const server = spawnByway(['serve'], { BYWAY_DATA_DIR: emptyDataDir(), HOST: '127.0.0.1', PORT: '0' });
    const ended = once(server.process, 'exit');
    await vi.waitFor(() => expect(takesSignals(server.process.pid ?? 0)).toBe(true), WAIT);
    server.process.kill('SIGUSR2');
    server.process.kill('SIGHUP');
    server.process.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  }, 60_000);

  test('stops and goes on as the system does', async () => {
    const server = await alone();
    for (const signal of PAUSING) {
      server.process.kill(signal);
      await vi.waitFor(() => expect([signal, stateOf(server)]).toEqual([signal, 'T']), WAIT);
      server.process.kill('SIGCONT');
      expect([signal, await isServing(server)]).toEqual([signal, true]);
    }
  }, 60_000);

  test.each(ENDING)(
    'ends at once at %s, by it',
    async (signal) => {
      const server = await alone();
      server.process.kill(signal);
      const [code, by] = await once(server.process, 'exit');
      expect([code, constants.signals[by as NodeJS.Signals]]).toEqual([null, constants.signals[signal]]);
    },
    60_000,
  );
});

/** Whether the process has taken signals that Node leaves to the system. */
function takesSignals(pid: number): boolean {
  const caught = BigInt(
    `0x${/^SigCgt:\s+([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0'}`,
  );
  return (caught & (1n << BigInt(constants.signals.SIGUSR2 - 1))) !== 0n;
}

function stateOf({ process: { pid } }: Serving): string {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] ?? '';
}

describe.runIf(usualKind() === 'postgres')('a supervisor and its workers', () => {
  const supervised = async () =>
    serve(
      {
        BYWAY_DATA_DIR: emptyDataDir(),
        BYWAY_DATABASE_URL: await emptyDatabaseUrl('postgres'),
        BYWAY_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
        BYWAY_WORKERS: '2',
      },
      2,
    );

  test('go on at signals that do nothing, each of them', async () => {
    const server = await supervised();
    for (const signal of NOTHING) {
      for (const pid of [...server.pids, server.process.pid ?? 0]) process.kill(pid, signal);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect([signal, await isServing(server)]).toEqual([signal, true]);
    }
    for (const pid of server.pids) expect(process.kill(pid, 0)).toBe(true);
    expect(server.stdout()).not.toContain('a worker ended');
    expect(server.stderr()).toBe('');
  }, 120_000);

  test.each(DRAINING)(
    'drain together at %s, also when everybody gets it, and twice',
    async (signal) => {
      const server = await supervised();
      const answer = await server.stream();
      for (const pid of server.pids) process.kill(pid, signal);
      server.process.kill(signal);
      await vi.waitFor(() => expect(server.stdout()).toContain('draining all workers'), WAIT);
      server.process.kill(signal);
      expect(await answer.text()).toMatch(/data: \[DONE\]\s*$/);
      expect(await once(server.process, 'exit')).toEqual([0, null]);
      for (const pid of server.pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    },
    120_000,
  );
});
