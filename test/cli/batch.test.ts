import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runByway } from '../../src/cli/byway.js';
import { serveCommands } from '../../src/cli/ledger/command-server.js';
import { Progress } from '../../src/cli/output/progress.js';
import { badRequest, GEMINI, request, startBatchWorld } from '../batch/world.js';
import { documentOf, type Ended, inProcess } from '../support/byway.js';

/** Commands beside a gateway, which runs them on SQLite, as a server does. */
async function start() {
  const world = await startBatchWorld();
  const { dataDir, databaseUrl, gateway } = world.gateway;
  if (gateway.database.exclusive !== null) {
    const commands = await serveCommands(gateway, dataDir, { warn: raise });
    onTestFinished(() => commands.close());
  }
  const env = {
    BYWAY_DATA_DIR: dataDir,
    BYWAY_DATABASE_URL: databaseUrl,
    BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1',
    BYWAY_LOG_LEVEL: 'silent',
  };
  return {
    ...world,
    byway: (...args: string[]): Promise<Ended> => inProcess(['batch', ...args], env),
    file(name: string, content: string): string {
      const path = join(dataDir, name);
      writeFileSync(path, content);
      return path;
    },
  };
}

describe('byway batch', () => {
  it('submits a file, waits for its end and prints the results', async () => {
    const { store, byway, file } = await start();
    await store();
    const path = file('b.json', JSON.stringify({ model: GEMINI, requests: [request('a'), badRequest('b')] }));
    const { data } = documentOf(await byway('submit', path, '--json'));
    expect(data).toMatchObject({ status: 'queued', request_counts: { total: 2 } });
    const watched = await byway('watch', data.id);
    expect(watched).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/status +completed\nrequests +2, 1 completed, 1 failed\n/),
    });
    expect(watched.stderr).toContain('completed\n');
    const lines = await byway('results', data.id);
    const rows = lines.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ custom_id }) => custom_id).sort()).toEqual(['a', 'b']);
    expect(documentOf(await byway('results', data.id, '--json')).data).toEqual(rows);
  });

  it('accepts JSON lines as other services have them, with the options of the command line', async () => {
    const { store, byway, file, gateway } = await start();
    const key = await store();
    const line = (name: string) =>
      JSON.stringify({ ...request(name), method: 'POST', url: '/v1/chat/completions' });
    const path = file('b.jsonl', `${line('a')}\n\n${line('b')}\n`);
    const options = ['--model', GEMINI, '--byok-key', String(key.id), '--key', gateway.apiKeyHash];
    const { data } = documentOf(await byway('submit', path, ...options, '--json'));
    expect(data).toMatchObject({
      request_counts: { total: 2 },
      byok_key_id: key.id,
      api_key_hash: gateway.apiKeyHash,
    });
  });

  it('fails for an invalid file, for a batch that failed, and for an unknown one', async () => {
    const { store, byway, file, google } = await start();
    await store();
    const bad = await byway('submit', file('bad.jsonl', '{"custom_id": "a"}\nno json\n'), '--model', GEMINI);
    expect(bad).toMatchObject({ code: 1, stderr: 'byway: requests[1]: must be a JSON object\n' });
    const none = await byway('watch', '00000000-0000-4000-8000-000000000000');
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no batch') });
    google.jobs.plan = { looks: 1, state: 'JOB_STATE_FAILED', error: 'The model is overloaded.' };
    const path = file('b.json', JSON.stringify({ model: GEMINI, requests: [request('a')] }));
    const { data } = documentOf(await byway('submit', path, '--json'));
    expect(await byway('watch', data.id)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('The model is overloaded.'),
    });
  });

  it('explains itself', async () => {
    let text = '';
    const output = { write: (piece: string) => (text += piece) };
    const terminal = { stdin: (async function* () {})(), stdout: output, stderr: output };
    expect(await runByway(['batch', '--help'], terminal)).toBe(0);
    expect(text).toMatch(/submit \[options\] <file>[\s\S]*watch <id>[\s\S]*results <id>/);
  });
});

describe('progress', () => {
  it('is a bar drawn over itself on a terminal, and a line for each state elsewhere', () => {
    const shown = (isTTY: boolean) => {
      let text = '';
      const progress = new Progress({ isTTY, write: (piece) => (text += piece) });
      progress.show(0, 4, 'queued');
      progress.show(1, 4, 'running');
      progress.show(4, 4, 'running');
      progress.end();
      return text;
    };
    expect(shown(false)).toBe('queued\nrunning\n');
    expect(shown(true)).toBe(
      `\r[${'-'.repeat(30)}] 0/4 queued\r[${'#'.repeat(7)}${'-'.repeat(23)}] 1/4 running\r[${'#'.repeat(30)}] 4/4 running\n`,
    );
  });

  it.each([80, 40, 25, 10])('stays within one line of a terminal of %i columns', (columns) => {
    let text = '';
    const progress = new Progress({ isTTY: true, columns, write: (piece) => (text += piece) });
    progress.show(0, 460_304, 'validating');
    progress.show(230_152, 460_304, 'running');
    progress.show(460_304, 460_304, 'completed');
    progress.end();
    const drawn = text.trimEnd().split('\r').slice(1);
    expect(drawn).toHaveLength(3);
    for (const line of drawn) expect(line.length).toBeLessThan(columns);
    expect(drawn[2]?.includes('#')).toBe(columns >= 40);
  });
});

function raise(fields: object, message: string): never {
  throw new Error(`${message}: ${JSON.stringify(fields)}`);
}
