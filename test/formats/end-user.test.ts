import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Format } from '../../src/catalog/types.js';
import { agentIn } from '../../src/formats/agent.js';
import { endUserOf, endUserViolations } from '../../src/formats/end-user.js';

const DEVICE = 'd'.repeat(64);
const ACCOUNT = '11111111-2222-4333-8444-555555555555';
const SESSION = '99999999-8888-4777-8666-555555555555';
const claudeCode = (named: object) => ({ metadata: { user_id: JSON.stringify(named) } });
const messagesUser = (user_id: unknown) => ({ metadata: { user_id } });
const hashed = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

describe('the end user of a request is', () => {
  const LONGEST = 'é'.repeat(256);
  const LONGER = 'é'.repeat(257);
  it.each<[title: string, format: Format, header: string | null, body: object, endUser: string | null]>([
    ['what the header says', 'chat', 'ann', { user: 'bob', safety_identifier: 'cid' }, 'ann'],
    ['what the header says, in UTF-8', 'chat', Buffer.from('Zoë 李').toString('latin1'), {}, 'Zoë 李'],
    ['what the header says, in Latin-1', 'chat', 'Zo\u00eb', {}, 'Zoë'],
    ['not a blank header', 'chat', '  ', { user: 'bob' }, 'bob'],
    ['safety_identifier before user', 'chat', null, { user: 'bob', safety_identifier: 'cid' }, 'cid'],
    ['user where that is blank', 'chat', null, { user: 'bob', safety_identifier: ' ' }, 'bob'],
    ['user where that is no text', 'chat', null, { user: 'bob', safety_identifier: 7 }, 'bob'],
    ['nobody where both are empty', 'chat', null, { user: '', safety_identifier: '' }, null],
    ['nobody where nothing names one', 'chat', null, {}, null],
    ['nobody by a number', 'chat', null, { user: 7 }, null],
    ['no member of another API', 'chat', null, { metadata: { user_id: 'ann' } }, null],
    ['metadata.user_id', 'messages', null, messagesUser('ann'), 'ann'],
    ['no member of chats in Messages', 'messages', null, { user: 'ann', safety_identifier: 'ann' }, null],
    ['nobody where metadata is no object', 'messages', null, { metadata: 'ann' }, null],
    ['nobody where user_id is null', 'messages', null, messagesUser(null), null],
    ['nobody where user_id is blank', 'messages', null, messagesUser('\t'), null],
    [
      "Claude Code's account",
      'messages',
      null,
      claudeCode({ device_id: DEVICE, account_uuid: ACCOUNT, session_id: SESSION }),
      ACCOUNT,
    ],
    [
      "Claude Code's device where it has no account",
      'messages',
      null,
      claudeCode({ device_id: DEVICE, account_uuid: '', session_id: SESSION }),
      DEVICE,
    ],
    [
      'the whole JSON text where it has neither',
      'messages',
      null,
      claudeCode({ name: 'ann' }),
      JSON.stringify({ name: 'ann' }),
    ],
    ['nobody where it has a session alone', 'messages', null, claudeCode({ session_id: SESSION }), null],
    [
      'nobody where all but the session is empty',
      'messages',
      null,
      claudeCode({ device_id: '', account_uuid: null, session_id: SESSION }),
      null,
    ],
    ['nobody where the JSON text names nothing', 'messages', null, messagesUser('{}'), null],
    [
      'all but the session of what another client writes',
      'messages',
      null,
      claudeCode({ session_id: SESSION, name: 'ann' }),
      JSON.stringify({ name: 'ann' }),
    ],
    ['the whole text where it is no JSON', 'messages', null, messagesUser('{ann'), '{ann'],
    [
      "the header's JSON text as it is",
      'messages',
      '{"device_id":"d"}',
      claudeCode({ device_id: DEVICE }),
      '{"device_id":"d"}',
    ],
    [
      'all but the session of what Claude Code sent before',
      'messages',
      null,
      messagesUser(`user_${DEVICE}_account_${ACCOUNT}_session_${SESSION}`),
      `user_${DEVICE}_account_${ACCOUNT}`,
    ],
    [
      'the same without an account',
      'messages',
      null,
      messagesUser(`user_${DEVICE}_account__session_${SESSION}`),
      `user_${DEVICE}_account_`,
    ],
    [
      'a text that only resembles that',
      'messages',
      null,
      messagesUser('user_1_session_2'),
      'user_1_session_2',
    ],
    [
      'another that does',
      'messages',
      null,
      messagesUser('user_1_session_2_account_3'),
      'user_1_session_2_account_3',
    ],
    ['a member of 256 characters', 'chat', null, { user: LONGEST }, LONGEST],
    ['a member of 256 characters of two units', 'chat', null, { user: '𝒳'.repeat(256) }, '𝒳'.repeat(256)],
    ['the hash of a longer one', 'chat', null, { user: LONGER }, hashed(LONGER)],
    ['the hash of a longer one in Messages', 'messages', null, messagesUser(LONGER), hashed(LONGER)],
    ['readable where it is no Unicode', 'chat', null, { user: 'a\ud800b\0c' }, 'a\ufffdb\ufffdc'],
  ])('%s', (_title, format, header, body, endUser) => {
    expect(endUserOf(header, format, { ...body })).toBe(endUser);
    expect(endUserViolations(header)).toEqual([]);
  });

  it('never a header of more than 256 characters, which is refused', () => {
    expect(endUserViolations('x'.repeat(256))).toEqual([]);
    expect(endUserViolations(Buffer.from('é'.repeat(256)).toString('latin1'))).toEqual([]);
    expect(endUserViolations('x'.repeat(257))).toEqual([
      { field: 'X-Byway-End-User', rule: 'length', message: 'must have at most 256 characters' },
    ]);
  });
});

describe('the agent of a request is', () => {
  const agent = (headers: Record<string, string>) => agentIn(new Headers(headers));
  it("Claude Code's, with the one that has started it", () => {
    expect(agent({ 'x-claude-code-agent-id': 'a2', 'x-claude-code-parent-agent-id': 'a1' })).toEqual({
      agentId: 'a2',
      parentAgentId: 'a1',
    });
  });
  it("Codex's kind of subagent", () => {
    expect(agent({ 'x-openai-subagent': 'review' })).toEqual({ agentId: 'review', parentAgentId: null });
  });
  it('none where it is longer than 128 characters, or not visible ASCII', () => {
    expect(agent({ 'x-claude-code-agent-id': 'a'.repeat(128) }).agentId).toBe('a'.repeat(128));
    for (const id of ['a'.repeat(129), 'a b', 'é', '']) {
      expect(agent({ 'x-claude-code-agent-id': id, 'x-claude-code-parent-agent-id': id })).toEqual({
        agentId: null,
        parentAgentId: null,
      });
    }
    expect(agent({})).toEqual({ agentId: null, parentAgentId: null });
  });
});
