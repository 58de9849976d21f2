import { describe, expect, test } from 'vitest';
import { assign, listAssignments } from '../../src/accounts/guardrails/assignments.js';
import type { GuardrailRules } from '../../src/accounts/guardrails/guardrail.js';
import type { GuardrailChanges } from '../../src/accounts/guardrails/guardrail-changes.js';
import {
  createGuardrail,
  deleteGuardrail,
  getGuardrail,
  listGuardrails,
  updateGuardrail,
} from '../../src/accounts/guardrails/guardrails.js';
import { CLEAR, set } from '../../src/base/change.js';
import { isUuid } from '../../src/base/ids.js';
import { START } from '../identity/world.js';
import {
  createControl,
  FULL,
  guardrailChanges,
  NOT_FOUND,
  newGuardrail,
  newWorkspace,
  PLAIN,
} from './control.js';

/** Each field: another value than in `FULL`, and the effect of null. */
const FIELDS: readonly [keyof GuardrailRules, GuardrailRules[keyof GuardrailRules], 'cleared' | string][] = [
  ['name', 'Renamed', 'name'],
  ['description', 'Other', 'cleared'],
  ['limitNanoUsd', 7n, 'cleared'],
  ['resetInterval', 'daily', 'cleared'],
  ['allowedModels', ['x/y'], 'cleared'],
  ['ignoredModels', [], 'cleared'],
  ['allowedProviders', [], 'cleared'],
  ['ignoredProviders', ['groq'], 'cleared'],
  ['enforceZdr', false, 'enforce_zdr'],
  ['dataCollection', 'allow', 'cleared'],
  ['allowedDataRegions', ['us'], 'cleared'],
  ['includeByokInBudgets', false, 'include_byok_in_budgets'],
];

async function withFull() {
  const control = await createControl();
  const guardrail = await newGuardrail(control, FULL);
  control.world.clock.nowMs = START + 1000;
  const update = (over: Partial<GuardrailChanges>) =>
    updateGuardrail(control.guardrails, control.accountId, guardrail.id, guardrailChanges(over));
  const read = () => getGuardrail(control.guardrails, control.accountId, guardrail.id);
  return { control, guardrail, update, read };
}

describe('create and read', () => {
  test('every field is read back', async () => {
    const { control, guardrail, read } = await withFull();
    const { accountId, workspaceId } = control;
    const expected = { ...FULL, accountId, workspaceId, createdAt: START, updatedAt: START };
    expect(guardrail).toEqual({ ...expected, id: guardrail.id });
    expect(isUuid(guardrail.id)).toBe(true);
    expect(await read()).toEqual(guardrail);
  });

  test('empty lists stay empty, missing ones null, and duplicates are removed', async () => {
    const control = await createControl();
    const { id } = await newGuardrail(control, {
      allowedModels: [],
      ignoredModels: ['b', 'a', 'b'],
      allowedDataRegions: [],
    });
    expect(await getGuardrail(control.guardrails, control.accountId, id)).toMatchObject({
      ...PLAIN,
      allowedModels: [],
      ignoredModels: ['b', 'a'],
      allowedDataRegions: [],
    });
  });

  test('it belongs to the given workspace, which must belong to the account', async () => {
    const control = await createControl();
    const { id: workspaceId } = await newWorkspace(control, 'team');
    expect((await newGuardrail(control, { workspaceId })).workspaceId).toBe(workspaceId);
    for (const unknown of ['team', 'nothing', control.otherAccount.workspace.id]) {
      await expect(newGuardrail(control, { workspaceId: unknown, name: '' })).rejects.toMatchObject({
        reason: 'invalid_request',
        httpStatus: 400,
        violations: [
          { field: 'name', rule: 'length' },
          { field: 'workspace_id', rule: 'known' },
        ],
      });
    }
  });

  test('every violation is named at once, and nothing is stored', async () => {
    const control = await createControl();
    const input = {
      ...PLAIN,
      workspaceId: null,
      name: 'x'.repeat(256),
      description: 'x'.repeat(1001),
      limitNanoUsd: 10n ** 18n + 1n,
      allowedModels: ['ok', ''],
      ignoredModels: ['x'.repeat(256)],
      allowedProviders: Array.from({ length: 1001 }, () => 'openai'),
      ignoredProviders: [''],
      allowedDataRegions: ['', ''],
    };
    const creating = createGuardrail(control.guardrails, control.accountId, input);
    await expect(creating).rejects.toMatchObject({
      violations: [
        { field: 'name', rule: 'length' },
        { field: 'description', rule: 'length' },
        { field: 'limit_usd', rule: 'range' },
        { field: 'allowed_models[1]', rule: 'length' },
        { field: 'ignored_models[0]', rule: 'length' },
        { field: 'allowed_providers', rule: 'count' },
        { field: 'ignored_providers[0]', rule: 'length' },
        { field: 'allowed_data_regions[0]', rule: 'length' },
        { field: 'allowed_data_regions[1]', rule: 'length' },
      ],
    });
    const { totalCount } = await listGuardrails(control.guardrails, control.accountId, {
      workspaceId: null,
      offset: 0,
      limit: 50,
    });
    expect(totalCount).toBe(1);
  });

  test('a list is ordered by creation, then id, in pages, optionally of one workspace', async () => {
    const control = await createControl();
    const { guardrails, accountId, workspaceId } = control;
    const { id: team } = await newWorkspace(control, 'team');
    const names = ['b', 'a', 'c'];
    for (const name of names) {
      control.world.clock.nowMs += 1;
      await newGuardrail(control, { name, workspaceId: name === 'a' ? team : null });
    }
    const query = { workspaceId: null, offset: 2, limit: 2 };
    const page = await listGuardrails(guardrails, accountId, query);
    expect(page.records.map(({ name }) => name)).toEqual(['b', 'a']);
    expect(page.totalCount).toBe(5);
    const own = await listGuardrails(guardrails, accountId, { workspaceId, offset: 1, limit: 50 });
    expect(own.records.map(({ name }) => name)).toEqual(['b', 'c']);
    const foreign = { ...query, workspaceId: control.otherAccount.workspace.id };
    await expect(listGuardrails(guardrails, accountId, foreign)).rejects.toMatchObject({
      violations: [{ field: 'workspace_id', rule: 'known' }],
    });
  });
});

describe('the three states of every field', () => {
  test('omitted: an empty update changes nothing, not even updated_at', async () => {
    const { guardrail, update, read } = await withFull();
    expect(await update({})).toEqual(guardrail);
    expect(await read()).toEqual(guardrail);
  });

  test.each(FIELDS)('%s set: only it and updated_at change', async (field, value) => {
    const { guardrail, update, read } = await withFull();
    const expected = { ...guardrail, [field]: value, updatedAt: START + 1000 };
    expect(await update({ [field]: set(value) })).toEqual(expected);
    expect(await read()).toEqual(expected);
  });

  test.each(FIELDS)('%s set to its current value: nothing changes', async (field) => {
    const { guardrail, update, read } = await withFull();
    expect(await update({ [field]: set(guardrail[field]) })).toEqual(guardrail);
    expect(await read()).toEqual(guardrail);
  });

  test.each(FIELDS.filter(([, , onNull]) => onNull === 'cleared'))(
    '%s null: it is removed',
    async (field) => {
      const { guardrail, update, read } = await withFull();
      await update({ [field]: CLEAR });
      expect(await read()).toEqual({ ...guardrail, [field]: null, updatedAt: START + 1000 });
    },
  );

  test.each(FIELDS.filter(([, , onNull]) => onNull !== 'cleared'))(
    '%s null: refused with the name of the field',
    async (field, _value, restName) => {
      const { guardrail, update, read } = await withFull();
      await expect(update({ [field]: CLEAR })).rejects.toMatchObject({
        reason: 'invalid_request',
        httpStatus: 400,
        violations: [{ field: restName, rule: 'not_null' }],
      });
      expect(await read()).toEqual(guardrail);
    },
  );

  test('concurrent updates of different fields all take effect', async () => {
    const { guardrail, update, read } = await withFull();
    await Promise.all(FIELDS.map(([field, value]) => update({ [field]: set(value) })));
    const expected = Object.fromEntries(FIELDS.map(([field, value]) => [field, value]));
    expect(await read()).toEqual({ ...guardrail, ...expected, updatedAt: START + 1000 });
  });
});

describe('refusals and deletion', () => {
  test('violations are reported before a missing guardrail', async () => {
    const { control } = await withFull();
    const updating = updateGuardrail(
      control.guardrails,
      control.accountId,
      'nothing',
      guardrailChanges({ name: set(''), allowedModels: set(['']) }),
    );
    await expect(updating).rejects.toMatchObject({
      violations: [
        { field: 'name', rule: 'length' },
        { field: 'allowed_models[0]', rule: 'length' },
      ],
    });
  });

  test('an unknown or malformed id and the guardrail of another account are not found', async () => {
    const { control, guardrail } = await withFull();
    const { guardrails, accountId, otherAccount } = control;
    for (const [who, id] of [
      [accountId, 'nothing'],
      [accountId, otherAccount.workspace.defaultGuardrailId],
      [otherAccount.account.id, guardrail.id],
    ] as const) {
      await expect(getGuardrail(guardrails, who, id)).rejects.toMatchObject(NOT_FOUND);
      await expect(deleteGuardrail(guardrails, who, id)).rejects.toMatchObject(NOT_FOUND);
      const renaming = updateGuardrail(guardrails, who, id, guardrailChanges({ name: set('Mine') }));
      await expect(renaming).rejects.toMatchObject(NOT_FOUND);
    }
  });

  test('the default guardrail of a workspace cannot be deleted (409), but changed', async () => {
    const { guardrails, accountId, mine } = await createControl();
    const id = mine.workspace.defaultGuardrailId;
    await expect(deleteGuardrail(guardrails, accountId, id)).rejects.toMatchObject({
      reason: 'in_use',
      httpStatus: 409,
    });
    const changed = await updateGuardrail(
      guardrails,
      accountId,
      id,
      guardrailChanges({ enforceZdr: set(true) }),
    );
    expect(changed.enforceZdr).toBe(true);
  });

  test('a deleted guardrail is gone with its assignments', async () => {
    const { control, guardrail } = await withFull();
    const { guardrails, assignments, accountId, world } = control;
    await assign(assignments, accountId, guardrail.id, 'member', ['user_a']);
    await deleteGuardrail(guardrails, accountId, guardrail.id);
    await expect(getGuardrail(guardrails, accountId, guardrail.id)).rejects.toMatchObject(NOT_FOUND);
    const page = { offset: 0, limit: 50 };
    const listing = listAssignments(assignments, accountId, guardrail.id, 'member', page);
    await expect(listing).rejects.toMatchObject(NOT_FOUND);
    expect(await world.database.query.selectFrom('guardrail_assignment').selectAll().execute()).toEqual([]);
  });
});
