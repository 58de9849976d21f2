import { expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { mustSucceed, startMoneyGateway } from '../../support/money.js';
import { caller, recordOf, rowsOf } from '../../support/rest.js';

/** Text of characters from `first` on that no database can make much shorter. */
function noise(length: number, first: number, range: number): string {
  let state = length;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return first + (Math.floor(state / 2 ** 8) % range);
  };
  return String.fromCodePoint(...Array.from({ length }, next));
}

it('a request is counted under the longest names that it may have, of a member, a run, an agent and an end user', async () => {
  const model = `${noise(126, 0x61, 26)}/${noise(126, 0x61, 26)}`;
  const gateway = await startMoneyGateway({ models: [demoModel(model, ['a'])] });
  const created = await gateway.manage('POST', '/keys', {
    name: 'Longest',
    creator_user_id: noise(255, 0x20000, 0x9000),
  });
  const run = noise(128, 0x21, 94);
  const agent = noise(127, 0x21, 94);
  const endUser = noise(256, 0x20000, 0xa000);
  const { key } = JSON.parse(created.text) as { key: string };
  const chat = { model, user: endUser, messages: [{ role: 'user', content: 'Hi' }] };
  const headers = { 'x-byway-run': run, 'x-claude-code-agent-id': agent };
  await mustSucceed(caller(gateway, key)('POST', '/chat/completions', chat, headers));
  const [row] = rowsOf(await gateway.manage('GET', '/activity?group_by=run,agent,end_user,user'));
  expect(row).toMatchObject({ requests: 1, run, agent_id: agent, end_user: endUser });
  const { hash } = recordOf(created);
  expect(rowsOf(await gateway.manage('GET', `/keys/${String(hash)}/end-users`))).toMatchObject([
    { end_user: endUser, requests: 1 },
  ]);
});
