import { expect, test } from 'vitest';
import {
  assign,
  listAssignments,
  type SubjectKind,
  unassign,
} from '../../src/accounts/guardrails/assignments.js';
import { isUuid } from '../../src/base/ids.js';
import { deleteKey } from '../../src/identity/delete-key.js';
import { newKey, START } from '../identity/world.js';
import { type Control, createControl, NOT_FOUND, newGuardrail } from './control.js';

const ALL = { offset: 0, limit: 50 };

async function withGuardrails() {
  const control = await createControl();
  const [one, other] = [await newGuardrail(control), await newGuardrail(control)];
  return { control, one: one.id, other: other.id };
}

/** Two subjects of this kind. */
async function subjectsOf({ world, mine }: Control, kind: SubjectKind): Promise<[string, string]> {
  if (kind === 'member') return ['user_a', 'user_b'];
  const [a, b] = [await newKey(world, mine.principal), await newKey(world, mine.principal)];
  return [a.record.key.hash, b.record.key.hash];
}

const onOf = async (control: Control, id: string, kind: SubjectKind) => {
  const { records } = await listAssignments(control.assignments, control.accountId, id, kind, ALL);
  return records.map(({ subject }) => subject).toSorted();
};

test.each(['key', 'member'] as const)('%s: assignments are read back', async (kind) => {
  const { control, one, other } = await withGuardrails();
  const { assignments, accountId } = control;
  const subjects = await subjectsOf(control, kind);
  expect(await assign(assignments, accountId, one, kind, [...subjects, subjects[0]])).toBe(2);
  const { records, totalCount } = await listAssignments(assignments, accountId, one, kind, ALL);
  expect(totalCount).toBe(2);
  for (const record of records) {
    expect(record).toMatchObject({ accountId, guardrailId: one, kind, createdAt: START });
    expect(isUuid(record.id)).toBe(true);
  }
  expect(await onOf(control, one, kind)).toEqual(subjects.toSorted());
  expect(await onOf(control, one, kind === 'key' ? 'member' : 'key')).toEqual([]);
  expect(await onOf(control, other, kind)).toEqual([]);
  const page = await listAssignments(assignments, accountId, one, kind, { offset: 1, limit: 5 });
  expect([page.records.length, page.totalCount]).toEqual([1, 2]);
});

test.each(['key', 'member'] as const)(
  '%s: another guardrail replaces the first, the same one changes nothing',
  async (kind) => {
    const { control, one, other } = await withGuardrails();
    const { assignments, accountId, world } = control;
    const [a, b] = await subjectsOf(control, kind);
    await assign(assignments, accountId, one, kind, [a]);
    const before = await listAssignments(assignments, accountId, one, kind, ALL);
    world.clock.nowMs = START + 1000;
    expect(await assign(assignments, accountId, one, kind, [a, b])).toBe(1);
    const after = await listAssignments(assignments, accountId, one, kind, ALL);
    expect(after.records[0]).toEqual(before.records[0]);
    expect(await assign(assignments, accountId, other, kind, [a])).toBe(1);
    expect(await onOf(control, one, kind)).toEqual([b]);
    expect(await onOf(control, other, kind)).toEqual([a]);
  },
);

test.each(['key', 'member'] as const)('%s: unassigning counts those that had the guardrail', async (kind) => {
  const { control, one, other } = await withGuardrails();
  const { assignments, accountId } = control;
  const [a, b] = await subjectsOf(control, kind);
  await assign(assignments, accountId, one, kind, [a]);
  await assign(assignments, accountId, other, kind, [b]);
  expect(await unassign(assignments, accountId, one, kind, [a, b, a, 'nothing'])).toBe(1);
  expect(await unassign(assignments, accountId, one, kind, [a])).toBe(0);
  expect(await onOf(control, other, kind)).toEqual([b]);
});

test.each([
  ['key', 'key_hashes'],
  ['member', 'member_user_ids'],
] as const)('%s: a call names 1 to 100, and gets all violations at once', async (kind, field) => {
  const { control, one } = await withGuardrails();
  const { assignments, accountId } = control;
  for (const [subjects, violations] of [
    [[], [{ field, rule: 'count' }]],
    [Array.from({ length: 101 }, () => 'same'), [{ field, rule: 'count' }]],
    [['', 'x'.repeat(256)], [0, 1].map((index) => ({ field: `${field}[${index}]`, rule: 'length' }))],
  ] as const) {
    const expected = { reason: 'invalid_request', httpStatus: 400, violations };
    await expect(assign(assignments, accountId, one, kind, subjects)).rejects.toMatchObject(expected);
    await expect(unassign(assignments, accountId, one, kind, subjects)).rejects.toMatchObject(expected);
  }
});

test('unknown, malformed, deleted and other accounts’ keys are 400, each named, and nothing is assigned', async () => {
  const { control, one } = await withGuardrails();
  const { assignments, accountId, world, mine, otherAccount } = control;
  const [good, deleted] = await subjectsOf(control, 'key');
  await deleteKey(world.keys, mine.principal, deleted);
  const foreign = await newKey(world, otherAccount.principal);
  const subjects = ['0'.repeat(64), good, 'malformed', deleted, foreign.record.key.hash];
  await expect(assign(assignments, accountId, one, 'key', subjects)).rejects.toMatchObject({
    httpStatus: 400,
    violations: [0, 2, 3, 4].map((index) => ({ field: `key_hashes[${index}]`, rule: 'known' })),
  });
  expect(await onOf(control, one, 'key')).toEqual([]);
});

test('a deleted key is no longer listed', async () => {
  const { control, one } = await withGuardrails();
  const [a, b] = await subjectsOf(control, 'key');
  await assign(control.assignments, control.accountId, one, 'key', [a, b]);
  await deleteKey(control.world.keys, control.mine.principal, a);
  const listed = await listAssignments(control.assignments, control.accountId, one, 'key', ALL);
  expect([listed.totalCount, ...listed.records.map(({ subject }) => subject)]).toEqual([1, b]);
});

test('members of different accounts are separate', async () => {
  const { control, one } = await withGuardrails();
  const { assignments, accountId, otherAccount } = control;
  const theirs = otherAccount.workspace.defaultGuardrailId;
  await assign(assignments, accountId, one, 'member', ['user_a']);
  await assign(assignments, otherAccount.account.id, theirs, 'member', ['user_a']);
  expect(await onOf(control, one, 'member')).toEqual(['user_a']);
});

test('a guardrail of another account is not found', async () => {
  const { control } = await withGuardrails();
  const { assignments, accountId, otherAccount } = control;
  for (const id of ['nothing', otherAccount.workspace.defaultGuardrailId]) {
    for (const kind of ['key', 'member'] as const) {
      const subjects = ['a'];
      await expect(listAssignments(assignments, accountId, id, kind, ALL)).rejects.toMatchObject(NOT_FOUND);
      await expect(assign(assignments, accountId, id, kind, subjects)).rejects.toMatchObject(NOT_FOUND);
      await expect(unassign(assignments, accountId, id, kind, subjects)).rejects.toMatchObject(NOT_FOUND);
    }
  }
});
