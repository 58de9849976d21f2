import { existsSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { serveFrom, temporaryDataDir } from '../endpoint/serving.js';
import { buildByway, byway, documentOf, inProcess } from '../support/byway.js';
import { bodyOf, caller, recordOf } from '../support/rest.js';

beforeAll(buildByway, 180_000);

const CREDIT = '0.000000001';
const CREDITS = 20;
const CHATS = 200;

/** A server on a SQLite file of its own, and commands with its settings. */
async function serving(dataDir = temporaryDataDir()) {
  const databaseUrl = `sqlite:${join(dataDir, 'byway.db')}`;
  const env = { BYWAY_DATA_DIR: dataDir, BYWAY_DATABASE_URL: databaseUrl, BYWAY_LOG_LEVEL: 'silent' };
  const server = await serveFrom(dataDir, { databaseUrl });
  const { data } = documentOf(await inProcess(['account', 'list', '--json'], env));
  return {
    env,
    server,
    accountId: String(data[0].account_id),
    socket: join(dataDir, 'byway.sock'),
    run: (...args: string[]) => inProcess(args, env),
    async credits() {
      const { managementKey } = await server.keys;
      const { total_credits, total_usage } = recordOf(await caller(server, managementKey)('GET', '/credits'));
      return { total_credits: Number(total_credits), total_usage: Number(total_usage) };
    },
  };
}

describe('commands that change money, beside a server on SQLite', () => {
  it('run in the server: credits and charges of the same moment add up exactly', async () => {
    const { env, server, accountId, credits } = await serving();
    const use = caller(server, (await server.keys).apiKey);
    const chat = { model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] };
    const before = await credits();
    const [given, chats] = await Promise.all([
      Promise.all(
        Array.from({ length: CREDITS }, () => byway(['account', 'credit', accountId, CREDIT], env)),
      ),
      Promise.all(Array.from({ length: CHATS }, () => use('POST', '/chat/completions', chat))),
    ]);
    expect(given.map(({ code, stderr }) => [code, stderr])).toEqual(given.map(() => [0, '']));
    expect(chats.filter(({ status }) => status !== 200)).toEqual([]);
    const { total_credits, total_usage } = await credits();
    expect(total_credits).toBeCloseTo(before.total_credits + CREDITS * Number(CREDIT), 9);
    const costs = chats.map((answer) => Number((bodyOf(answer).usage as { cost: number }).cost));
    const charged = costs.reduce((sum, cost) => sum + cost, before.total_usage);
    expect(charged).toBeGreaterThan(0);
    expect(total_usage).toBeCloseTo(charged, 9);
    expect(documentOf(await byway(['db', 'check', '--json'], env))).toMatchObject({ ok: true });
  }, 120_000);

  it('say what they say without a server, and fail as they do there', async () => {
    const { env, server, run, accountId } = await serving();
    const failing = [
      ['account', 'credit', 'nobody', '1'],
      ['account', 'credit', accountId, '0'],
      ['account', 'create', '--name', 'B', '--credits', '-1'],
      ['batch', 'watch', '00000000-0000-4000-8000-000000000000'],
      ['batch', 'results', '00000000-0000-4000-8000-000000000000'],
    ].flatMap((args) => [args, [...args, '--json']]);
    const all = [...failing, ['account', 'credit', accountId, '1']];
    const answers = [];
    for (const args of all) answers.push(await run(...args));
    await server.stop();
    for (const [index, args] of failing.entries()) expect(await run(...args)).toEqual(answers[index]);
    expect(answers.at(-1)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^added 1 USD; .* 11 USD in all/),
    });
    expect((await run('account', 'credit', accountId, '1')).stdout).toMatch(/ 12 USD in all/);
    expect(documentOf(await inProcess(['db', 'check', '--json'], env))).toMatchObject({ ok: true });
  }, 120_000);

  it('are refused in words where the server can’t be reached, and change nothing', async () => {
    const { env, run, accountId, socket, credits } = await serving();
    const before = await credits();
    rmSync(socket);
    const refused = await run('account', 'credit', accountId, '1');
    const file = join(env.BYWAY_DATA_DIR, 'byway.db');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(
          `^byway: process \\d+ on ${hostname()} serves from ${file} already; stop it first, .*; with the BYWAY_DATA_DIR of that process this command runs in it\\n$`,
        ),
      ),
    });
    expect(await credits()).toEqual(before);
  }, 120_000);

  it('reach it over a socket for this user alone, which ends with it, and which the next one replaces', async () => {
    const first = await serving();
    expect((statSync(first.socket).mode & 0o777).toString(8)).toBe('600');
    await first.server.kill();
    expect(existsSync(first.socket)).toBe(true);
    const own = await first.run('account', 'credit', first.accountId, '1');
    expect(own).toMatchObject({ code: 0, stdout: expect.stringContaining('added 1 USD') });
    const second = await serving(first.env.BYWAY_DATA_DIR);
    expect(await second.run('account', 'credit', first.accountId, '1')).toMatchObject({ code: 0 });
    await second.server.stop();
    expect(existsSync(first.socket)).toBe(false);
  }, 120_000);
});
