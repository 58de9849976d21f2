import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { launchGateway, type TestAccount } from '../../support/gateway.js';
import { addGenerations } from '../../support/many-generations.js';
import { bodyOf, caller } from '../../support/rest.js';

/** More than sockets hold, so that an export whose client reads nothing stays open. */
const RECORDS = 40_000;

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let other: TestAccount;
beforeAll(async () => {
  gateway = await launchGateway({ env: { BYWAY_ADMIN_RATE_PER_MINUTE: '0' } });
  other = await gateway.addAccount();
  await addGenerations(gateway.gateway.database, RECORDS, gateway);
}, 120_000);
afterAll(() => gateway.stop());

/** Begins an export and reads nothing of it. */
function openExport(managementKey: string): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${managementKey}` };
    const request = http.get(
      `${gateway.rest}/generations/export?format=csv`,
      { headers, agent: false },
      resolve,
    );
    request.on('error', reject);
  });
}

describe('exports', () => {
  it('are two at a time for an account, whose third is told to wait; others run theirs', async () => {
    const [first, second] = [
      await openExport(gateway.managementKey),
      await openExport(gateway.managementKey),
    ];
    expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
    const manage = caller(gateway, gateway.managementKey);
    const third = await manage('GET', '/generations/export');
    expect([third.status, third.headers['retry-after'], bodyOf(third).error]).toEqual([
      429,
      '5',
      expect.objectContaining({
        message: 'An account may run 2 exports at a time: start the next one when one has ended',
        metadata: expect.objectContaining({ reason: 'rate_limited' }),
      }),
    ]);
    expect((await caller(gateway, other.managementKey)('GET', '/generations/export')).status).toBe(200);
    first.destroy();
    await vi.waitFor(async () => {
      const next = await openExport(gateway.managementKey);
      next.destroy();
      expect(next.statusCode).toBe(200);
    }, 5_000);
    second.destroy();
  });

  it('in a loop leave every list, report and export of another account served', {
    timeout: 180_000,
  }, async () => {
    let isOver = false;
    const hostile = caller(gateway, gateway.managementKey);
    const loops = Array.from({ length: 130 }, async () => {
      while (!isOver) {
        await hostile('GET', '/generations/export?is_byok=true').catch(() => undefined);
        await hostile('GET', '/generations?limit=100&offset=9000&is_byok=false').catch(() => undefined);
      }
    });
    const manage = caller(gateway, other.managementKey);
    const paths = ['/generations', '/activity', '/keys', '/generations/export', '/byok', '/workspaces'];
    for (let round = 0; round < 4; round += 1) {
      for (const path of paths) {
        const { status } = await manage('GET', path);
        expect([path, status]).toEqual([path, 200]);
      }
    }
    isOver = true;
    await Promise.all(loops);
  });
});
