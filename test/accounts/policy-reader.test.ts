import { describe, expect, test, vi } from 'vitest';
import { createAccount } from '../../src/accounts/account/create-account.js';
import { assign, unassign } from '../../src/accounts/guardrails/assignments.js';
import { deleteGuardrail, updateGuardrail } from '../../src/accounts/guardrails/guardrails.js';
import { createPolicyReader, type PolicyStore } from '../../src/accounts/policy/policy-reader.js';
import { updatePreferences } from '../../src/accounts/policy/preferences.js';
import { deleteBudget, putBudget } from '../../src/accounts/workspaces/budgets.js';
import { KEEP, set } from '../../src/base/change.js';
import { subjects } from '../../src/ledger/payer.js';
import { createPolicyStore } from '../../src/store/tables/policy-store.js';
import { newKey, worldOn } from '../identity/world.js';
import { openDuringTest, temporaryDatabaseUrl } from '../support/database.js';
import {
  type Control,
  controlOn,
  createControl,
  guardrailChanges,
  newGuardrail,
  newWorkspace,
  policyRevision,
} from './control.js';

const NO_CHANGE = { allowedProviders: KEEP, ignoredProviders: KEEP, zdr: KEEP, dataCollection: KEEP };

async function withCaller() {
  const control = await createControl();
  const { record } = await newKey(control.world, control.mine.principal, { creatorUserId: 'user_a' });
  const { hash, workspaceId } = record.key;
  const read = () => control.policies.callerPolicy(control.accountId, hash, 'user_a', workspaceId);
  return { control, hash, read };
}

describe('the guardrails that apply to a caller', () => {
  test('are those of its key, its member and its workspace, and no others', async () => {
    const { control, hash, read } = await withCaller();
    const { guardrails, assignments, accountId, otherAccount, mine } = control;
    expect((await read()).restrictions.guardrailAllowedModels).toEqual([]);
    const [key, member, other, team] = await Promise.all(
      ['key', 'member', 'other', 'team'].map((name) =>
        newGuardrail(control, { name, allowedModels: [name] }),
      ),
    );
    if (!key || !member || !other || !team) throw new Error('no guardrails');
    await assign(assignments, accountId, key.id, 'key', [hash]);
    await assign(assignments, accountId, member.id, 'member', ['user_a']);
    await assign(assignments, accountId, other.id, 'member', ['user_b']);
    const elsewhere = await newWorkspace(control, 'elsewhere');
    await updateGuardrail(guardrails, accountId, elsewhere.defaultGuardrailId, allow('elsewhere'));
    await updateGuardrail(guardrails, accountId, mine.workspace.defaultGuardrailId, allow('workspace'));
    await assign(assignments, otherAccount.account.id, otherAccount.workspace.defaultGuardrailId, 'member', [
      'user_a',
    ]);
    await updateGuardrail(
      guardrails,
      otherAccount.account.id,
      otherAccount.workspace.defaultGuardrailId,
      allow('other'),
    );
    expect((await read()).restrictions.guardrailAllowedModels).toEqual([['key'], ['member'], ['workspace']]);
  });

  test('are none for an unknown caller, who is restricted by the preferences of the account only', async () => {
    const { control } = await withCaller();
    await zdr(control);
    const policy = await control.policies.callerPolicy(control.accountId, 'x', 'nobody', 'nowhere');
    expect(policy.restrictions).toMatchObject({ zdr: true, guardrailAllowedModels: [] });
    expect(policy.workspaceBudgets.budgets).toEqual([]);
  });
});

const allow = (name: string) => guardrailChanges({ allowedModels: set([name]) });
const zdr = ({ preferences, accountId }: Control) =>
  updatePreferences(preferences, accountId, { ...NO_CHANGE, defaultSort: KEEP, zdr: set(true) });

describe('policies are cached until they change', () => {
  test('the database is queried once for each caller', async () => {
    const { control, hash } = await withCaller();
    const store = createPolicyStore(control.world.database);
    const readSources = vi.fn(store.readSources);
    const { callerPolicy } = createPolicyReader({ ...store, readSources });
    const { accountId, workspaceId } = control;
    const first = await callerPolicy(accountId, hash, 'user_a', workspaceId);
    expect(await callerPolicy(accountId, hash, 'user_a', workspaceId)).toBe(first);
    expect(readSources).toHaveBeenCalledTimes(1);
    await callerPolicy(accountId, hash, 'user_b', workspaceId);
    expect(readSources).toHaveBeenCalledTimes(2);
  });

  test('a reading serves nobody else: neither another account nor another workspace', async () => {
    const store = createPolicyStore((await withCaller()).control.world.database);
    const readSources = vi.fn(store.readSources);
    const { callerPolicy } = createPolicyReader({ ...store, readSources });
    const asked = [
      ['account', 'workspace'],
      ['account', 'elsewhere'],
      ['another', 'workspace'],
    ] as const;
    for (const [account, workspace] of [...asked, ...asked])
      await callerPolicy(account, 'hash', 'user', workspace);
    expect(readSources.mock.calls.map(([account, , workspace]) => [account, workspace])).toEqual(asked);
  });

  test('the policies of ten thousand keys that come in turn are queried once', async () => {
    const { control } = await withCaller();
    const store = createPolicyStore(control.world.database);
    const readSources = vi.fn(store.readSources);
    const readKeyGuardrails = vi.fn(async () => []);
    const reader = createPolicyReader({ ...store, readSources, readKeyGuardrails });
    const { callerPolicy, cacheReports } = reader;
    for (let round = 0; round < 2; round++) {
      for (let key = 0; key < 10_000; key++) {
        await callerPolicy(control.accountId, `key-${key}`, 'user_a', control.workspaceId);
      }
    }
    expect(readKeyGuardrails).toHaveBeenCalledTimes(10_000);
    expect(readSources).toHaveBeenCalledTimes(1);
    for (const { bytes, maxBytes } of cacheReports()) expect(bytes).toBeLessThan(maxBytes);
  });

  test('keys of a member without guardrails of their own have one policy, and a key with one has its own', async () => {
    const { control, hash, read } = await withCaller();
    const { accountId, workspaceId, world, mine } = control;
    const { record } = await newKey(world, mine.principal, { creatorUserId: 'user_a' });
    const other = () => control.policies.callerPolicy(accountId, record.key.hash, 'user_a', workspaceId);
    expect(await other()).toBe(await read());
    const { id } = await newGuardrail(control, { allowedModels: ['own'], limitNanoUsd: 7n });
    await assign(control.assignments, accountId, id, 'key', [hash]);
    expect(await read()).toMatchObject({
      restrictions: { guardrailAllowedModels: [['own']] },
      limits: [{ subject: subjects.key(hash), limitNanoUsd: 7n }],
    });
    expect(await other()).toMatchObject({ restrictions: { guardrailAllowedModels: [] }, limits: [] });
  });

  test('each of several callers with one key has its own policy and budgets', async () => {
    const { control, hash } = await withCaller();
    const { accountId, workspaceId, mine } = control;
    const budget = guardrailChanges({ limitNanoUsd: set(7n) });
    await updateGuardrail(control.guardrails, accountId, mine.workspace.defaultGuardrailId, budget);
    const users = ['user_a', 'user_b', 'user_c', 'user_d', 'user_e', 'user_f'];
    for (const user of [...users, ...users]) {
      const { limits } = await control.policies.callerPolicy(accountId, hash, user, workspaceId);
      expect(limits).toMatchObject([
        { kind: 'guardrail', subject: subjects.workspaceMember(workspaceId, user), limitNanoUsd: 7n },
      ]);
    }
    const elsewhere = await control.policies.callerPolicy(accountId, hash, 'user_a', 'elsewhere');
    expect(elsewhere.limits).toEqual([]);
  });

  test('every change of guardrails, assignments, preferences and budgets takes effect at once', async () => {
    const { control, hash, read } = await withCaller();
    const { guardrails, assignments, budgets, accountId, world } = control;
    const { id } = await newGuardrail(control, { enforceZdr: false });
    const budgetInput = { limitNanoUsd: 5n, includeByokInBudgets: true };
    const changes: readonly [() => Promise<unknown>, object][] = [
      [() => zdr(control), { restrictions: { zdr: true } }],
      [() => assign(assignments, accountId, id, 'key', [hash]), { restrictions: {} }],
      [
        () => updateGuardrail(guardrails, accountId, id, allow('m')),
        { restrictions: { guardrailAllowedModels: [['m']] } },
      ],
      [
        () => unassign(assignments, accountId, id, 'key', [hash]),
        { restrictions: { guardrailAllowedModels: [] } },
      ],
      [
        () => assign(assignments, accountId, id, 'member', ['user_a']),
        { restrictions: { guardrailAllowedModels: [['m']] } },
      ],
      [() => deleteGuardrail(guardrails, accountId, id), { restrictions: { guardrailAllowedModels: [] } }],
      [
        () => putBudget(budgets, accountId, 'default', 'daily', budgetInput),
        { workspaceBudgets: { includeByokInBudgets: true, budgets: [{ limitNanoUsd: 5n }] } },
      ],
      [() => deleteBudget(budgets, accountId, 'default', 'daily'), { workspaceBudgets: { budgets: [] } }],
    ];
    for (const [change, expected] of changes) {
      await read();
      const revision = await policyRevision(world.database);
      await change();
      expect(await policyRevision(world.database)).toBeGreaterThan(revision);
      expect(await read()).toMatchObject(expected);
    }
  });

  test('another process’s change takes effect within a second', async () => {
    const url = await temporaryDatabaseUrl();
    const here = worldOn(await openDuringTest(url));
    const there = controlOn(worldOn(await openDuringTest(url)));
    const { account, workspace } = await createAccount(here.accounts, { name: 'A', plan: 'enterprise' });
    const { policies } = controlOn(here);
    const read = () => policies.callerPolicy(account.id, 'hash', 'user', workspace.id);
    expect((await read()).restrictions.zdr).toBe(false);
    await updatePreferences(there.preferences, account.id, {
      ...NO_CHANGE,
      defaultSort: KEEP,
      zdr: set(true),
    });
    await vi.waitFor(async () => expect((await read()).restrictions.zdr).toBe(true), { timeout: 5000 });
  });

  test('a policy that was being read during a change is not cached', async () => {
    const { control, hash } = await withCaller();
    const store = createPolicyStore(control.world.database);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: PolicyStore = {
      ...store,
      async readSources(...caller) {
        const sources = await store.readSources(...caller);
        await held;
        return sources;
      },
    };
    const { callerPolicy } = createPolicyReader(slow);
    const early = callerPolicy(control.accountId, hash, 'user_a', control.workspaceId);
    await zdr(control);
    release();
    await early;
    const late = await callerPolicy(control.accountId, hash, 'user_a', control.workspaceId);
    expect(late.restrictions.zdr).toBe(true);
  });

  test('a failed read does not evict the policies of other callers', async () => {
    const { control, hash } = await withCaller();
    const store = createPolicyStore(control.world.database);
    const readSources = vi.fn(store.readSources);
    const { callerPolicy } = createPolicyReader({ ...store, readSources });
    const { accountId, workspaceId } = control;
    const known = await callerPolicy(accountId, hash, 'user_a', workspaceId);
    readSources.mockRejectedValueOnce(new Error('away'));
    await expect(callerPolicy(accountId, hash, 'user_b', workspaceId)).rejects.toThrow('away');
    expect(await callerPolicy(accountId, hash, 'user_a', workspaceId)).toBe(known);
  });

  test('a failed read is not cached', async () => {
    const { control, hash } = await withCaller();
    const store = createPolicyStore(control.world.database);
    const readSources = vi.fn(store.readSources).mockRejectedValueOnce(new Error('no database'));
    const { callerPolicy } = createPolicyReader({ ...store, readSources });
    const read = () => callerPolicy(control.accountId, hash, 'user_a', control.workspaceId);
    await expect(read()).rejects.toThrow('no database');
    expect((await read()).restrictions.zdr).toBe(false);
  });
});
