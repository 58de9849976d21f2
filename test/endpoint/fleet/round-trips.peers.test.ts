import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDatabaseUrl } from '../../support/database.js';
import { proxyBefore } from '../../support/fakes/tcp-proxy.js';
import { setLimit } from '../../support/limits.js';
import { COST_USD, expectSettled, keyRecord, startMoneyGateway } from '../../support/money.js';
import { hasPostgres } from '../../support/postgres/postgres-access.js';

/** Longer than sending pipelined statements takes. */
const ANSWER_DELAY_MS = 30;

/** A gateway that reaches PostgreSQL through a proxy, which counts the round trips of a piece of work. */
async function startCounted() {
  const proxy = await proxyBefore(await temporaryDatabaseUrl('postgres'), { answerDelayMs: ANSWER_DELAY_MS });
  const gateway = await startMoneyGateway({ env: { BYWAY_DATABASE_URL: proxy.url } });
  await setLimit(gateway, { limit: 1_000 * COST_USD });
  const costOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = proxy.roundTrips;
    await work();
    return proxy.roundTrips - before;
  };
  return { proxy, gateway, costOf };
}

describe.runIf(hasPostgres())('the round trips to PostgreSQL', () => {
  it('of a chat are two: one for admission, one to charge and record it', async () => {
    const { gateway, costOf } = await startCounted();
    const chat = async (more: object) => expect((await gateway.chat('test/paid', more)).status).toBe(200);
    await chat({});
    for (const more of [{}, { stream: true }, { max_tokens: 5 }]) {
      expect(await costOf(() => chat(more))).toBe(2);
    }
    await expectSettled(gateway);
  });

  it('of concurrent chats are shared', async () => {
    const { gateway, costOf } = await startCounted();
    const chat = async () => expect((await gateway.chat('test/paid')).status).toBe(200);
    await chat();
    const chats = 60;
    expect(await costOf(() => Promise.all(Array.from({ length: chats }, chat)))).toBeLessThan(chats);
    expect(await keyRecord(gateway)).toMatchObject({ usage: (chats + 1) * COST_USD });
    await expectSettled(gateway);
  });

  it('are no reads: a chat is served while the answer to every read is delayed', async () => {
    const { proxy, gateway } = await startCounted();
    expect((await gateway.chat('test/paid')).status).toBe(200);
    proxy.pauseReads();
    onTestFinished(() => proxy.mend());
    expect((await gateway.chat('test/paid')).status).toBe(200);
    expect((await gateway.chat('test/paid', { stream: true })).status).toBe(200);
    proxy.mend();
    await expectSettled(gateway);
  });
});
