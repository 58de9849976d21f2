import { describe, expect, it } from 'vitest';
import { createByway } from '../../src/client/index.js';
import { inProcess } from '../support/byway.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { callerOptions } from '../support/in-process.js';

function environment({ dataDir, databaseUrl }: TestGateway) {
  return { BYWAY_DATA_DIR: dataDir, BYWAY_DATABASE_URL: databaseUrl };
}

async function withKey(key: string) {
  const gateway = await startGateway();
  const byway = createByway(gateway.gateway.transport);
  const options = await callerOptions(gateway, gateway.managementKey);
  const { data } = await byway.byok.create({ provider: 'demo', key, name: 'Mine' }, options);
  const test = (...more: string[]) =>
    inProcess(['byok', 'test', data?.id ?? '', ...more], environment(gateway));
  return { test };
}

describe('byway byok test', () => {
  it('prints what came of the call, beside a running server', async () => {
    const { test } = await withKey('demo-echo-0123456789abcdef');
    const { code, stdout, stderr } = await test();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.replace(/\d+ ms/, 'N ms').split('\n')).toEqual([
      'key      dem...def for demo (Mine)',
      'result   ok',
      'status   200',
      'latency  N ms',
      'detail   Provider demo answered with demo/echo.',
      '',
    ]);
  });

  it('exits 1 where the provider does not take the credential', async () => {
    const { test } = await withKey('demo-reset-0123456789abcdef');
    const text = await test();
    expect(text.code).toBe(1);
    expect(text.stdout).toContain('result   failed: unreachable\nstatus   no answer\n');
    const json = await test('--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      data: { ok: false, status: null, reason: 'unreachable' },
    });
  });

  it('names a key that is not there', async () => {
    const gateway = await startGateway();
    const ended = await inProcess(['byok', 'test', 'x'], environment(gateway));
    expect(ended).toEqual({ code: 1, stdout: '', stderr: 'byway: there is no BYOK key x\n' });
  });
});
