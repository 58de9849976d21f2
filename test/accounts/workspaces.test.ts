import { describe, expect, test } from 'vitest';
import { assign, unassign } from '../../src/accounts/guardrails/assignments.js';
import { getGuardrail, listGuardrails } from '../../src/accounts/guardrails/guardrails.js';
import { putBudget } from '../../src/accounts/workspaces/budgets.js';
import { addMembers } from '../../src/accounts/workspaces/members.js';
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  updateWorkspace,
} from '../../src/accounts/workspaces/workspaces.js';
import { CLEAR, set } from '../../src/base/change.js';
import { isUuid } from '../../src/base/ids.js';
import { deleteKey } from '../../src/identity/delete-key.js';
import { newKey, START } from '../identity/world.js';
import {
  type Control,
  createControl,
  NOT_FOUND,
  newGuardrail,
  newWorkspace,
  workspaceChanges,
} from './control.js';

const INPUT = { name: 'Team', slug: 'team-1', description: 'A team' };

describe('create and read', () => {
  test('a workspace is read back, by id and by slug, with an empty default guardrail', async () => {
    const control = await createControl();
    const { workspaces, guardrails, accountId } = control;
    const workspace = await createWorkspace(workspaces, accountId, INPUT);
    expect(workspace).toMatchObject({ ...INPUT, accountId, isDefault: false, includeByokInBudgets: false });
    expect(workspace).toMatchObject({ createdAt: START, updatedAt: START });
    expect(isUuid(workspace.id)).toBe(true);
    expect(await getWorkspace(workspaces, accountId, workspace.id)).toEqual(workspace);
    expect(await getWorkspace(workspaces, accountId, 'team-1')).toEqual(workspace);
    expect(await getGuardrail(guardrails, accountId, workspace.defaultGuardrailId)).toMatchObject({
      workspaceId: workspace.id,
      limitNanoUsd: null,
      allowedModels: null,
      allowedProviders: null,
      allowedDataRegions: null,
      enforceZdr: false,
    });
  });

  test('a duplicate slug is 409 within an account only', async () => {
    const { workspaces, accountId, otherAccount } = await createControl();
    await createWorkspace(workspaces, accountId, INPUT);
    const again = createWorkspace(workspaces, accountId, INPUT);
    await expect(again).rejects.toMatchObject({ reason: 'already_exists', httpStatus: 409 });
    await createWorkspace(workspaces, otherAccount.account.id, INPUT);
    expect((await listWorkspaces(workspaces, accountId, { offset: 0, limit: 50 })).totalCount).toBe(2);
  });

  test('of concurrent creations with one slug exactly one succeeds', async () => {
    const { workspaces, accountId } = await createControl();
    const created = await Promise.allSettled(
      Array.from({ length: 5 }, () => createWorkspace(workspaces, accountId, INPUT)),
    );
    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test.each(['', 'Team', 'a b', 'a_b', 'ä', 'x'.repeat(51), 'a\n'])('the slug %j is 400', async (slug) => {
    const { workspaces, accountId } = await createControl();
    const creating = createWorkspace(workspaces, accountId, { ...INPUT, slug });
    await expect(creating).rejects.toMatchObject({
      reason: 'invalid_request',
      violations: [{ field: 'slug', rule: 'pattern' }],
    });
  });

  test('every violation is named at once', async () => {
    const { workspaces, accountId } = await createControl();
    const input = { name: '', slug: '!', description: 'x'.repeat(1001) };
    await expect(createWorkspace(workspaces, accountId, input)).rejects.toMatchObject({
      httpStatus: 400,
      violations: [
        { field: 'name', rule: 'length' },
        { field: 'slug', rule: 'pattern' },
        { field: 'description', rule: 'length' },
      ],
    });
  });

  test('a slug is nobody’s id, neither one that there is nor one to come', async () => {
    const control = await createControl();
    const { workspaces, accountId, otherAccount } = control;
    const first = await newWorkspace(control, 'first');
    const second = await newWorkspace(control, 'second');
    const taken = [first.id, second.id, first.defaultGuardrailId, otherAccount.workspace.id];
    const refusal = { httpStatus: 400, violations: [{ field: 'slug', rule: 'identifier' }] };
    for (const slug of [...taken, '00000000-0000-0000-0000-000000000000']) {
      await expect(createWorkspace(workspaces, accountId, { ...INPUT, slug })).rejects.toMatchObject(refusal);
      const renaming = updateWorkspace(
        workspaces,
        accountId,
        second.id,
        workspaceChanges({ slug: set(slug) }),
      );
      await expect(renaming).rejects.toMatchObject(refusal);
    }
    expect((await getWorkspace(workspaces, accountId, second.id)).slug).toBe('second');
    const near = first.id.replaceAll('-', '');
    expect((await createWorkspace(workspaces, accountId, { ...INPUT, slug: near })).slug).toBe(near);
  });

  test('an id takes precedence over an equal slug, which versions before took', async () => {
    const control = await createControl();
    const { workspaces, accountId } = control;
    const first = await newWorkspace(control, 'first');
    const second = await newWorkspace(control, 'second');
    await workspaces.store.transact((tx) => tx.replaceWorkspace({ ...second, slug: first.id }));
    expect(await getWorkspace(workspaces, accountId, first.id)).toEqual(first);
    const renamed = updateWorkspace(
      workspaces,
      accountId,
      second.id,
      workspaceChanges({ name: set('Renamed') }),
    );
    expect((await renamed).name).toBe('Renamed');
  });

  test('a list is ordered by creation, then id, in pages, of this account only', async () => {
    const control = await createControl();
    for (const slug of ['b', 'a', 'c']) {
      control.world.clock.nowMs += 1;
      await newWorkspace(control, slug);
    }
    const page = await listWorkspaces(control.workspaces, control.accountId, { offset: 1, limit: 2 });
    expect(page.records.map(({ slug }) => slug)).toEqual(['b', 'a']);
    expect(page.totalCount).toBe(4);
  });

  test('an unknown or malformed name and the workspace of another account are not found', async () => {
    const { workspaces, accountId, otherAccount } = await createControl();
    const other = await createWorkspace(workspaces, otherAccount.account.id, INPUT);
    for (const name of ['nothing', '', '%', other.id, other.slug, otherAccount.workspace.id]) {
      await expect(getWorkspace(workspaces, accountId, name)).rejects.toMatchObject(NOT_FOUND);
      await expect(deleteWorkspace(workspaces, accountId, name)).rejects.toMatchObject(NOT_FOUND);
      const renaming = updateWorkspace(workspaces, accountId, name, workspaceChanges({ name: set('Mine') }));
      await expect(renaming).rejects.toMatchObject(NOT_FOUND);
    }
  });
});

describe('update', () => {
  async function withTeam() {
    const control = await createControl();
    const team = await createWorkspace(control.workspaces, control.accountId, INPUT);
    control.world.clock.nowMs = START + 1000;
    const update = (over: Parameters<typeof workspaceChanges>[0]) =>
      updateWorkspace(control.workspaces, control.accountId, team.slug, workspaceChanges(over));
    const read = () => getWorkspace(control.workspaces, control.accountId, team.id);
    return { control, team, update, read };
  }

  test('omitted: nothing changes, not even updated_at', async () => {
    const { team, update, read } = await withTeam();
    expect(await update({})).toEqual(team);
    expect(await update({ name: set(team.name), description: set('A team') })).toEqual(team);
    expect(await read()).toEqual(team);
  });

  test.each([
    ['name', 'Renamed'],
    ['slug', 'renamed'],
    ['description', 'Other'],
  ] as const)('%s set: only it and updated_at change', async (field, value) => {
    const { team, update, read } = await withTeam();
    const expected = { ...team, [field]: value, updatedAt: START + 1000 };
    expect(await update({ [field]: set(value) })).toEqual(expected);
    expect(await read()).toEqual(expected);
  });

  test('null clears the description, and is refused for name and slug', async () => {
    const { team, update, read } = await withTeam();
    await expect(update({ name: CLEAR, slug: CLEAR })).rejects.toMatchObject({
      httpStatus: 400,
      violations: [
        { field: 'name', rule: 'not_null' },
        { field: 'slug', rule: 'not_null' },
      ],
    });
    await update({ description: CLEAR });
    expect(await read()).toEqual({ ...team, description: null, updatedAt: START + 1000 });
  });

  test('the slug of another workspace is 409, its own is not', async () => {
    const { team, update } = await withTeam();
    await expect(update({ slug: set('default') })).rejects.toMatchObject({
      reason: 'already_exists',
      httpStatus: 409,
    });
    expect(await update({ slug: set(team.slug) })).toEqual(team);
  });

  test('violations are reported before a missing workspace', async () => {
    const { workspaces, accountId } = await createControl();
    const updating = updateWorkspace(workspaces, accountId, 'nothing', workspaceChanges({ name: set('') }));
    await expect(updating).rejects.toMatchObject({ reason: 'invalid_request' });
  });
});

describe('delete', () => {
  const remove = ({ workspaces, accountId }: Control, name: string) =>
    deleteWorkspace(workspaces, accountId, name);
  const IN_USE = { reason: 'in_use', httpStatus: 409 };

  test('it is gone with its guardrails, members and budgets', async () => {
    const control = await createControl();
    const { world, accountId } = control;
    const { id } = await newWorkspace(control, 'team');
    await newGuardrail(control, { workspaceId: id });
    await addMembers(control.members, accountId, id, ['user_a']);
    const budget = { limitNanoUsd: 1n, includeByokInBudgets: null };
    await putBudget(control.budgets, accountId, id, 'daily', budget);
    await remove(control, 'team');
    await expect(getWorkspace(control.workspaces, accountId, id)).rejects.toMatchObject(NOT_FOUND);
    const guardrails = await listGuardrails(control.guardrails, accountId, {
      workspaceId: null,
      offset: 0,
      limit: 50,
    });
    expect(guardrails.records.map((one) => one.workspaceId)).toEqual([control.workspaceId]);
    for (const table of ['workspace_member', 'workspace_budget'] as const) {
      expect(await world.database.query.selectFrom(table).selectAll().execute()).toEqual([]);
    }
  });

  test('the default workspace cannot be deleted: 409', async () => {
    const control = await createControl();
    await expect(remove(control, 'default')).rejects.toMatchObject(IN_USE);
  });

  test('one with an API key cannot be deleted: 409, until the key is deleted', async () => {
    const control = await createControl();
    const { world, mine } = control;
    const { id } = await newWorkspace(control, 'team');
    const { record } = await newKey(world, mine.principal, { workspaceId: id });
    await expect(remove(control, 'team')).rejects.toMatchObject(IN_USE);
    await deleteKey(world.keys, mine.principal, record.key.hash);
    await remove(control, 'team');
  });

  test('one with a BYOK key cannot be deleted: 409', async () => {
    const control = await createControl();
    const { id } = await newWorkspace(control, 'team');
    const { database } = control.world;
    await database.transact(['byok'], (tx) =>
      tx
        .insertInto('byok_key')
        .values({
          id: 'key',
          account_id: control.accountId,
          workspace_id: id,
          provider: 'openai',
          label: '...',
          name: null,
          disabled: 1,
          is_fallback: 0,
          is_required: 0,
          is_byok_only: 0,
          declared_zdr: null,
          allowed_models_json: null,
          allowed_api_key_hashes_json: null,
          allowed_user_ids_json: null,
          sort_order: 0,
          created_at: START,
          updated_at: START,
          ciphertext: Buffer.of(1),
          wrapped_data_key: Buffer.of(2),
          master_key_id: 'master',
        })
        .execute(),
    );
    await expect(remove(control, 'team')).rejects.toMatchObject(IN_USE);
  });

  test('one with an assigned guardrail cannot be deleted: 409, since a restriction would end unnoticed', async () => {
    const control = await createControl();
    const { assignments, accountId } = control;
    const { id } = await newWorkspace(control, 'team');
    const guardrail = await newGuardrail(control, { workspaceId: id });
    await assign(assignments, accountId, guardrail.id, 'member', ['user_a']);
    await expect(remove(control, 'team')).rejects.toMatchObject(IN_USE);
    await unassign(assignments, accountId, guardrail.id, 'member', ['user_a']);
    await remove(control, 'team');
  });
});
