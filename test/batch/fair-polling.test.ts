import type { Insertable } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAccount } from '../../src/accounts/account/create-account.js';
import { systemClock } from '../../src/base/clock.js';
import { systemIds } from '../../src/base/ids.js';
import { Batches } from '../../src/batch/batches.js';
import type { BatchDependencies } from '../../src/batch/dependencies.js';
import type { DueBatch } from '../../src/batch/ports.js';
import type { BatchTable } from '../../src/store/schema/batch-schema.js';
import { createStores } from '../../src/store/stores.js';
import { DATABASE_KINDS, withDatabase } from '../support/database.js';

/** Polls these batches; the claims of those of `hostile` never answer. Resolves to the batches that were claimed. */
function startPolling(due: readonly DueBatch[]) {
  const claimed: string[] = [];
  let free = () => {};
  const held = new Promise<undefined>((resolve) => {
    free = () => resolve(undefined);
  });
  const store: Partial<BatchDependencies['store']> = {
    due: async () => due.filter(({ id }) => !claimed.includes(id)),
    claim(id) {
      claimed.push(id);
      return id.startsWith('hostile') ? held : Promise.resolve(undefined);
    },
  };
  const report = (error: unknown) => expect.unreachable(String(error));
  const dependencies = { store, clock: systemClock, report } as Partial<BatchDependencies>;
  const batches = new Batches(dependencies as BatchDependencies);
  vi.useFakeTimers();
  onTestFinished(async () => {
    vi.useRealTimers();
    free();
    await batches.close();
  });
  batches.start();
  return claimed;
}

describe('batches that are due', () => {
  it('are polled though those of another account never answer', async () => {
    const of = (accountId: string) =>
      Array.from({ length: 20 }, (_, index) => ({ id: `${accountId} ${index}`, accountId }));
    const claimed = startPolling([...of('hostile'), ...of('b'), ...of('c')]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(claimed.filter((id) => id.startsWith('b'))).toHaveLength(20);
    expect(claimed.filter((id) => id.startsWith('c'))).toHaveLength(20);
    expect(claimed.filter((id) => id.startsWith('hostile'))).toHaveLength(3);
  });
});

/** A batch of the account that is due since this instant. */
function row(id: string, account_id: string, poll_at: number): Insertable<BatchTable> {
  return {
    ...{ id, account_id, poll_at, claimed_until: 0, claim_token: null, waits: 0, stage: 'submitted' },
    ...{ workspace_id: 'w', api_key_hash: '', user_id: 'u', plan: 'enterprise', request_id: 'r' },
    ...{ provider: 'p', provider_name: 'P', byok_key_id: 'k', endpoint: 'e', model: 'm', region: null },
    ...{ upstream_model_id: 'm', pricing_json: '{}', total: 1, created_at: 1, status: 'running' },
    ...{ bucket: null, provider_job: null, output_directory: null, completed: 0, failed: 0, error: null },
  };
}

describe.each(DATABASE_KINDS)('batches that are due on %s', (kind) => {
  it('are found account by account, the longest overdue of each first', async () => {
    const database = await withDatabase(kind);
    const shared = { clock: systemClock, ids: systemIds };
    const { batches, accounts } = createStores(database, shared);
    const addAccount = async (name: string) => {
      const created = await createAccount({ store: accounts, ...shared }, { name, plan: 'enterprise' });
      return created.account.id;
    };
    const [hostile, b, c] = [await addAccount('hostile'), await addAccount('b'), await addAccount('c')];
    await database.transact([], async (tx) => {
      const many = Array.from({ length: 80 }, (_, index) => row(`hostile ${index}`, hostile, index));
      const others = [row('b 1', b, 100), row('b 2', b, 101), row('c', c, 102), row('later', c, 900)];
      await tx
        .insertInto('batch')
        .values([...many, ...others])
        .execute();
    });
    const ids = (await batches.due(500, 6)).map(({ id }) => id);
    expect(ids).toEqual(['hostile 0', 'b 1', 'c', 'hostile 1', 'b 2', 'hostile 2']);
  });
});
