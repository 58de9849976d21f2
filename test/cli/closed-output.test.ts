import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BIN, buildByway, emptyInstallation } from '../support/byway.js';

beforeAll(buildByway, 60_000);

/** A lot for a busy machine; the time that it takes is not tested. */
const PATIENCE = { timeout: 60_000 };

type Environment = Readonly<Record<string, string>>;

/** An installation on a known port, since nobody reads the server's output. */
async function installation(more: Environment = {}): Promise<Environment> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  const port = typeof address === 'object' ? address?.port : undefined;
  return { ...(await emptyInstallation()), HOST: '127.0.0.1', PORT: String(port), ...more };
}

/** Runs the words in a shell and a process group of its own, where `$BYWAY` is the program. */
function shell(words: string, env: Environment): ChildProcess & { readonly stderrText: () => string } {
  const child = spawn('sh', ['-c', words], {
    env: { PATH: process.env.PATH, BYWAY: `${process.execPath} ${BIN}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  onTestFinished(() => {
    if (!isGone(child)) signalGroup(child, 'SIGKILL');
  });
  let text = '';
  child.stderr.on('data', (piece) => {
    text += piece;
  });
  return Object.assign(child, { stderrText: () => text });
}

/** As a terminal does. */
function signalGroup({ pid = 0 }: ChildProcess, signal: NodeJS.Signals | 0): void {
  process.kill(-pid, signal);
}

/** Whether no process of the group is left. */
function isGone(child: ChildProcess): boolean {
  try {
    signalGroup(child, 0);
    return false;
  } catch {
    return true;
  }
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', resolve));
}

async function health({ PORT }: Environment): Promise<number | undefined> {
  return (await fetch(`http://127.0.0.1:${PORT}/healthz`).catch(() => undefined))?.status;
}

const serves = (env: Environment) => expect.poll(() => health(env), { timeout: 40_000 }).toBe(200);

describe('a server whose stdout is closed serves on, and drains on a signal', PATIENCE, () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'its reader has gone, as with `head -1`, then %s',
    async (signal) => {
      const env = await installation();
      const child = shell('exec $BYWAY serve', env);
      child.stdout?.once('data', () => child.stdout?.destroy());
      child.stderr?.destroy();
      await serves(env);
      const { status } = await fetch(`http://127.0.0.1:${env.PORT}/api/v1/key`);
      expect([status, await health(env)]).toEqual([401, 200]);
      const exit = exitOf(child);
      child.kill(signal);
      expect(await exit).toBe(0);
    },
  );

  it('`serve | tee`, then Ctrl-C to both', async () => {
    const env = await installation();
    const child = shell('$BYWAY serve | tee /dev/null', env);
    await serves(env);
    signalGroup(child, 'SIGINT');
    await expect.poll(() => isGone(child), { timeout: 12_000 }).toBe(true);
  });

  it('on a full disk', async () => {
    const env = await installation();
    const child = shell('exec $BYWAY serve > /dev/full', env);
    await serves(env);
    const exit = exitOf(child);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  it('its reader stands still', async () => {
    const env = await installation({ BYWAY_LOG_LEVEL: 'debug' });
    const child = shell('exec $BYWAY serve', env);
    child.stdout?.pause();
    await serves(env);
    // More lines than a pipe takes (64 KiB).
    for (let count = 0; count < 1_000; count += 1) expect(await health(env)).toBe(200);
    const exit = exitOf(child);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });
});

describe('a short command', PATIENCE, () => {
  it('ends quietly as soon as nobody reads it', async () => {
    const child = shell('exec $BYWAY catalog export', await installation());
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await exitOf(child)).toBe(0);
    expect(child.stderrText()).not.toMatch(/EPIPE|Error/);
  });

  it('says so in one line when its output can be written nowhere', async () => {
    const child = shell('exec $BYWAY --version > /dev/full', await installation());
    const exit = exitOf(child);
    expect(await exit).toBe(1);
    expect(child.stderrText()).toBe('byway: standard output cannot be written (ENOSPC)\n');
  });

  it('fails as always where nobody reads why', async () => {
    const child = shell('exec $BYWAY key create --account none --name x', await installation());
    child.stderr?.destroy();
    expect(await exitOf(child)).toBe(1);
  });
});
