import { describe, expect, it } from 'vitest';
import { subjects, subjectsOf, unbilledSubjectsOf } from '../../src/ledger/payer.js';

const payer = {
  accountId: 'acc',
  workspaceId: 'ws',
  apiKeyHash: 'hash',
  userId: 'user',
  runId: null,
  endUser: null,
};

describe('the subjects of a charge', () => {
  it('are stored with the balances, so their names never change', () => {
    expect(subjectsOf(payer)).toEqual([
      'account/acc',
      'key/hash',
      'member/acc/user',
      'workspace/ws',
      'workspace-member/ws/user',
    ]);
    expect(subjects.member('acc', 'a/b')).toBe('member/acc/a/b');
  });

  it('include the run and the end user that it is made for, beside all others', () => {
    const all = subjectsOf(payer);
    expect(subjectsOf({ ...payer, runId: 'r', endUser: 'a/b c' })).toEqual([
      ...all,
      'run/r',
      'end-user/hash/a/b c',
    ]);
    expect(subjectsOf({ ...payer, endUser: 'e' })).toEqual([...all, 'end-user/hash/e']);
    expect(unbilledSubjectsOf({ ...payer, runId: 'r' })).toEqual(['unbilled/acc', ...all.slice(1), 'run/r']);
    expect(subjectsOf(payer)).toEqual(all);
  });

  it.each([{ accountId: 'other' }, { workspaceId: 'other' }, { userId: 'other' }])(
    'are those of the payer, also when a key with the same hash was charged before: %j',
    (changed) => {
      subjectsOf(payer);
      expect(subjectsOf({ ...payer, ...changed }).join()).toContain('other');
      expect(subjectsOf(payer).join()).not.toContain('other');
    },
  );
});
