import { expect, test } from 'vitest';
import { addMembers, listMembers, removeMembers } from '../../src/accounts/workspaces/members.js';
import { isUuid } from '../../src/base/ids.js';
import { START } from '../identity/world.js';
import { createControl, NOT_FOUND } from './control.js';

const ALL = { offset: 0, limit: 50 };

test('members are read back, by id and by slug of the workspace', async () => {
  const { members, accountId, workspaceId } = await createControl();
  const answer = await addMembers(members, accountId, 'default', ['user_b', 'user_a', 'user_b']);
  expect(answer.added).toBe(2);
  expect(answer.members.map(({ userId }) => userId)).toEqual(['user_b', 'user_a']);
  for (const member of answer.members) {
    expect(member).toMatchObject({ workspaceId, createdAt: START });
    expect(isUuid(member.id)).toBe(true);
  }
  const listed = await listMembers(members, accountId, workspaceId, ALL);
  expect(listed.totalCount).toBe(2);
  expect(listed.records).toEqual(answer.members.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
});

test('adding an existing member changes nothing and is not counted', async () => {
  const { world, members, accountId, workspaceId } = await createControl();
  const { members: first } = await addMembers(members, accountId, workspaceId, ['user_a']);
  world.clock.nowMs += 1000;
  const answer = await addMembers(members, accountId, workspaceId, ['user_a', 'user_b']);
  expect(answer.added).toBe(1);
  expect(answer.members[0]).toEqual(first[0]);
  expect(answer.members[1]).toMatchObject({ userId: 'user_b', createdAt: START + 1000 });
});

test('removing counts those who were members', async () => {
  const { members, accountId, workspaceId } = await createControl();
  await addMembers(members, accountId, workspaceId, ['user_a', 'user_b']);
  expect(await removeMembers(members, accountId, 'default', ['user_a', 'user_a', 'user_x'])).toBe(1);
  expect(await removeMembers(members, accountId, 'default', ['user_a'])).toBe(0);
  const listed = await listMembers(members, accountId, workspaceId, ALL);
  expect(listed.records.map(({ userId }) => userId)).toEqual(['user_b']);
});

test('pages have the count of all', async () => {
  const { members, accountId, workspaceId } = await createControl();
  const users = Array.from({ length: 100 }, (_, index) => `user_${index}`);
  expect((await addMembers(members, accountId, workspaceId, users)).added).toBe(100);
  const page = await listMembers(members, accountId, workspaceId, { offset: 98, limit: 50 });
  expect([page.records.length, page.totalCount]).toEqual([2, 100]);
});

test.each([
  [[], [{ field: 'user_ids', rule: 'count' }]],
  [Array.from({ length: 101 }, () => 'user_a'), [{ field: 'user_ids', rule: 'count' }]],
  [
    ['', 'user_a', 'x'.repeat(256)],
    [
      { field: 'user_ids[0]', rule: 'length' },
      { field: 'user_ids[2]', rule: 'length' },
    ],
  ],
])('violations are named at once (case %#)', async (userIds, violations) => {
  const { members, accountId, workspaceId } = await createControl();
  const expected = { reason: 'invalid_request', httpStatus: 400, violations };
  await expect(addMembers(members, accountId, workspaceId, userIds)).rejects.toMatchObject(expected);
  await expect(removeMembers(members, accountId, workspaceId, userIds)).rejects.toMatchObject(expected);
});

test('a workspace of another account is not found', async () => {
  const { members, accountId, otherAccount } = await createControl();
  for (const workspace of ['nothing', otherAccount.workspace.id]) {
    await expect(listMembers(members, accountId, workspace, ALL)).rejects.toMatchObject(NOT_FOUND);
    await expect(addMembers(members, accountId, workspace, ['user_a'])).rejects.toMatchObject(NOT_FOUND);
    await expect(removeMembers(members, accountId, workspace, ['user_a'])).rejects.toMatchObject(NOT_FOUND);
  }
});
