import { expect } from 'vitest';
import type { MoneyGateway } from './money.js';
import { recordOf } from './rest.js';

/** Changes the limit of the account's API key. */
export const setLimit = (gateway: MoneyGateway, body: object) =>
  gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, body).then(recordOf);

/** Sets a budget with a guardrail for the key, its member, or the whole workspace. */
export async function guardrail(gateway: MoneyGateway, body: object, to: 'key' | 'member' | 'default') {
  const rules = { name: 'Budget', ...body };
  if (to === 'default') {
    const workspace = recordOf(await gateway.manage('GET', `/workspaces/${gateway.workspaceId}`));
    return recordOf(await gateway.manage('PATCH', `/guardrails/${workspace.default_guardrail_id}`, rules));
  }
  const made = recordOf(await gateway.manage('POST', '/guardrails', rules));
  const [path, subjects] =
    to === 'key'
      ? ['keys', { key_hashes: [gateway.apiKeyHash] }]
      : ['members', { member_user_ids: [gateway.ownerUserId] }];
  const assigned = await gateway.manage('POST', `/guardrails/${made.id}/assignments/${path}`, subjects);
  expect(assigned.status).toBeLessThan(300);
  return made;
}

/** Sets a budget of the account's workspace. */
export const workspaceBudget = (gateway: MoneyGateway, interval: string, body: object) =>
  gateway.manage('PUT', `/workspaces/${gateway.workspaceId}/budgets/${interval}`, body).then(recordOf);

/** Adds a BYOK key of the provider `a`. */
export const addByok = (gateway: MoneyGateway, more: object = {}) =>
  gateway.manage('POST', '/byok', { provider: 'a', key: 'demo-echo-0123456789', ...more }).then(recordOf);
