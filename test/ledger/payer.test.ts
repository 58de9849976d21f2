import { describe, expect, it } from 'vitest';
import { subjects, subjectsOf } from '../../src/ledger/payer.js';

const payer = { accountId: 'acc', workspaceId: 'ws', apiKeyHash: 'hash', userId: 'user' };

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

  it.each([{ accountId: 'other' }, { workspaceId: 'other' }, { userId: 'other' }])(
    'are those of the payer, also when a key with the same hash was charged before: %j',
    (changed) => {
      subjectsOf(payer);
      expect(subjectsOf({ ...payer, ...changed }).join()).toContain('other');
      expect(subjectsOf(payer).join()).not.toContain('other');
    },
  );
});
