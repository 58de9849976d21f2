import { describe, expect, test } from 'vitest';
import { DEFAULT_PREFERENCES } from '../../src/accounts/policy/preferences.js';
import { firstLight } from '../../src/store/migrations/0001-first-light.js';
import { openDatabase } from '../../src/store/open.js';
import { createGuardrailStore } from '../../src/store/tables/guardrail-store.js';
import { createPreferenceStore } from '../../src/store/tables/preference-store.js';
import { createWorkspaceStore } from '../../src/store/tables/workspace-store.js';
import { DATABASE_KINDS, emptyDatabaseUrl, openDuringTest, optionsFor } from '../support/database.js';

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  test('existing workspaces get an empty default guardrail, and nothing else of them changes', async () => {
    const url = await emptyDatabaseUrl(kind);
    const before = await openDatabase(url, { ...optionsFor(url), migrations: [firstLight] });
    await before.transact([], async (tx) => {
      const account = { id: 'account', name: 'A', plan: 'enterprise' as const, owner_user_id: 'user' };
      await tx
        .insertInto('account')
        .values({ ...account, created_at: 1 })
        .execute();
      const workspace = { account_id: 'account', name: 'W', description: null, created_at: 2, updated_at: 3 };
      await tx
        .insertInto('workspace')
        .values([
          { ...workspace, id: 'one', slug: 'one', is_default: 1 },
          { ...workspace, id: 'two', slug: 'two', is_default: 0 },
        ])
        .execute();
    });
    await before.close();

    const database = await openDuringTest(url);
    const { records } = await createWorkspaceStore(database).listWorkspaces('account', {
      offset: 0,
      limit: 50,
    });
    expect(records).toMatchObject([
      { id: 'one', slug: 'one', isDefault: true, includeByokInBudgets: false, createdAt: 2, updatedAt: 3 },
      { id: 'two', slug: 'two', isDefault: false, includeByokInBudgets: false, createdAt: 2, updatedAt: 3 },
    ]);
    const guardrails = createGuardrailStore(database);
    for (const { id, defaultGuardrailId } of records) {
      const guardrail = await guardrails.findGuardrail('account', defaultGuardrailId);
      expect(guardrail).toMatchObject({
        workspaceId: id,
        limitNanoUsd: null,
        allowedModels: null,
        createdAt: 2,
      });
      expect(await guardrails.deleteGuardrail('account', defaultGuardrailId)).toBe('default');
    }
    expect(await createPreferenceStore(database).findPreferences('account')).toEqual(DEFAULT_PREFERENCES);
  });
});
