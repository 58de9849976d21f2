import { describe, expect, it } from 'vitest';
import { FAKE_API_KEY } from '../support/fakes/fake-openai.js';
import { expectSettled, keyRecord } from '../support/money.js';
import { addKey, expectAnswerFrom, generation, MODES, startProviders } from '../support/providers.js';
import { type Row, recordOf } from '../support/rest.js';

/** Shared capacity at both providers, and a key at `alpha` whose stored credential can't be opened any more. */
async function startWithDamagedKey(more: object) {
  const gateway = await startProviders('shared capacity');
  const id = await addKey(gateway, 'alpha', FAKE_API_KEY, more);
  const { database } = gateway.gateway;
  await database.transact(['byok'], (tx) =>
    tx
      .updateTable('byok_key')
      .set({ ciphertext: Buffer.from('damaged') })
      .where('id', '=', id)
      .execute(),
  );
  return { gateway, id };
}

describe.each(MODES)('a BYOK key whose credential is unreadable, %s', (mode) => {
  it('that is always used fails the request instead of billing shared capacity', async () => {
    const { gateway, id } = await startWithDamagedKey({ is_required: true });
    gateway.beta.plan('m', { status: 503 });
    const { status, error } = await gateway.ask(mode);
    expect(status).toBe(502);
    expect(gateway.alpha.requests).toHaveLength(0);
    expect(error?.metadata?.provider_responses).toMatchObject([
      { provider: 'alpha', status: null, error: 'credential', is_byok: true, byok_key_id: id },
      { provider: 'beta', status: 503, is_byok: false },
    ]);
    const only = await gateway.ask(mode, { provider: { only: ['alpha'] } });
    expect([only.status, only.error?.metadata?.reasons]).toMatchObject([
      404,
      { key_unusable: 1, always_use: 1 },
    ]);
    expect(await keyRecord(gateway)).toMatchObject({ usage: 0 });
    await expectSettled(gateway);
  });

  it('leaves shared capacity otherwise, and the record of the request lists the key', async () => {
    const { gateway, id } = await startWithDamagedKey({});
    const answer = await gateway.ask(mode);
    expectAnswerFrom(answer, 'alpha');
    const record = await generation(gateway, answer);
    expect(record).toMatchObject({ is_byok: false, usage: answer.usage?.cost });
    expect(record.provider_responses).toMatchObject([
      { provider: 'alpha', status: null, error: 'credential', is_byok: true, byok_key_id: id },
      { provider: 'alpha', status: 200, error: null, is_byok: false },
    ]);
    const { excluded } = recordOf(await gateway.use('POST', '/routing/explain', { model: 'test/m' }));
    expect((excluded as Row[]).find(({ byok_key_id }) => byok_key_id === id)?.reason).toBe('key_unusable');
    expect(JSON.parse((await gateway.manage('POST', `/byok/${id}/test`)).text).data).toMatchObject({
      ok: false,
    });
  });
});
