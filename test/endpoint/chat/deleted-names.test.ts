import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createByway } from '../../../src/client/index.js';
import { csvRecords } from '../../support/csv.js';
import { launchGateway, type TestAccount } from '../../support/gateway.js';
import { listed } from '../../support/neutral.js';
import { bodyOf, type Call, caller, type Row, recordOf, refusalOf, rowsOf } from '../../support/rest.js';

const NO_ID = '00000000-0000-4000-8000-000000000000';

let gateway: Awaited<ReturnType<typeof launchGateway>>;

/** What an account has used and deleted. */
interface Deleted {
  readonly account: TestAccount;
  readonly call: Call;
  readonly workspaceId: string;
  readonly hash: string;
  readonly byokId: string;
  readonly generationId: string;
}
let mine: Deleted;
let others: Deleted;

beforeAll(async () => {
  gateway = await launchGateway({ env: { BYWAY_ADMIN_RATE_PER_MINUTE: '0' } });
  mine = await useAndDelete('', '=billing');
  others = await useAndDelete('other ', 'other billing');
});
afterAll(() => gateway.stop());

const chat = async (call: Call) => {
  const messages = [{ role: 'user', content: 'Hello' }];
  return String(bodyOf(await call('POST', '/chat/completions', { model: 'test/m1', messages })).id);
};

/** An account with one request of its first key, and one of a key and a workspace that are then renamed and deleted. */
async function useAndDelete(prefix: string, byokName: string): Promise<Deleted> {
  const account = await gateway.addAccount();
  const call = caller(gateway, account.managementKey);
  await chat(caller(gateway, account.apiKey));
  const workspace = recordOf(await call('POST', '/workspaces', { name: 'Draft', slug: 'team' }));
  const workspace_id = String(workspace.id);
  const made = bodyOf(await call('POST', '/keys', { name: 'draft', workspace_id }));
  const { hash } = made.data as { hash: string };
  const byok = recordOf(
    await call('POST', '/byok', { provider: 'a', key: 'demo-echo-0123456789', name: byokName, workspace_id }),
  );
  const generationId = await chat(caller(gateway, String(made.key)));
  recordOf(await call('PATCH', `/workspaces/${workspace_id}`, { name: `${prefix}Team` }));
  recordOf(await call('PATCH', `/keys/${hash}`, { name: `${prefix}team key` }));
  for (const path of [`/keys/${hash}`, `/byok/${byok.id}`, '/workspaces/team']) {
    expect(bodyOf(await call('DELETE', path))).toEqual({ deleted: true });
  }
  return { account, call, workspaceId: workspace_id, hash, byokId: String(byok.id), generationId };
}

const named = (row: Row) =>
  Object.fromEntries(
    Object.entries(row).filter(([name]) => /^(workspace|api_key|byok_key)_(name|deleted)$/.test(name)),
  );

const NAMES = {
  workspace_name: 'Team',
  workspace_deleted: true,
  api_key_name: 'team key',
  api_key_deleted: true,
};
const BYOK_NAMES = { byok_key_name: '=billing', byok_key_deleted: true };

describe('reports after keys and workspaces are deleted', () => {
  it('name in activity what was used by its last name, and what there is as it is', async () => {
    const { call, account, hash, workspaceId } = mine;
    const rows = rowsOf(await call('GET', '/activity'));
    expect(rows.map(named)).toEqual(
      expect.arrayContaining([
        NAMES,
        {
          workspace_name: 'Default',
          workspace_deleted: false,
          api_key_name: expect.any(String),
          api_key_deleted: false,
        },
      ]),
    );
    const [byKey] = rowsOf(await call('GET', `/activity?group_by=api_key&api_key_hash=${hash}`));
    expect(byKey).toMatchObject({
      api_key_hash: hash,
      api_key_name: 'team key',
      api_key_deleted: true,
      requests: 1,
    });
    expect(Object.keys(byKey ?? {}).filter((name) => name.startsWith('workspace'))).toEqual([]);
    const byWorkspace = rowsOf(await call('GET', '/activity?group_by=workspace'));
    expect(byWorkspace.map(({ workspace_id, ...row }) => [workspace_id, named(row)])).toEqual(
      expect.arrayContaining([
        [workspaceId, { workspace_name: 'Team', workspace_deleted: true }],
        [account.workspaceId, { workspace_name: 'Default', workspace_deleted: false }],
      ]),
    );
    expect(rowsOf(await call('GET', '/activity?group_by=model')).map(named)).toEqual([{}]);
    const csv = await call('GET', '/activity', undefined, { accept: 'text/csv' });
    expect(csvRecords(csv.text).find(({ api_key_hash }) => api_key_hash === hash)).toMatchObject({
      workspace_name: 'Team',
      workspace_deleted: 'true',
      api_key_name: 'team key',
      api_key_deleted: 'true',
    });
    expect(rowsOf(await call('GET', '/activity?group_by=api_key')).map((row) => row.api_key_hash)).toEqual(
      expect.arrayContaining([hash, account.apiKeyHash]),
    );
  });

  it('name in a generation, the list and both exports its key, its workspace and the provider keys of its attempts', async () => {
    const { call, generationId, hash, byokId, workspaceId } = mine;
    const record = recordOf(await call('GET', `/generation?id=${generationId}`));
    expect(record).toMatchObject({
      ...NAMES,
      ...BYOK_NAMES,
      byok_key_id: byokId,
      provider_responses: [{ byok_key_id: byokId, ...BYOK_NAMES }],
    });
    for (const filter of [`api_key_hash=${hash}`, `workspace_id=${workspaceId}`]) {
      expect(rowsOf(await call('GET', `/generations?${filter}`))).toEqual([listed(record)]);
      const lines = await call('GET', `/generations/export?${filter}`);
      expect(
        lines.text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual([listed(record)]);
      const csv = await call('GET', `/generations/export?format=csv&${filter}`);
      expect(csvRecords(csv.text)).toMatchObject([
        {
          api_key_name: 'team key',
          workspace_name: 'Team',
          byok_key_name: "'=billing",
          byok_key_deleted: 'true',
        },
      ]);
    }
    const both = rowsOf(await call('GET', '/generations'));
    expect(both.map(named)).toEqual([
      expect.objectContaining(NAMES),
      expect.objectContaining({ workspace_name: 'Default', byok_key_name: null, byok_key_deleted: false }),
    ]);
  });

  it('answer the same over Connect and gRPC', async () => {
    const headers = { authorization: `Bearer ${mine.account.managementKey}` };
    for (const transport of [
      createConnectTransport({ baseUrl: gateway.url, httpVersion: '1.1' }),
      createGrpcTransport({ baseUrl: gateway.url }),
    ]) {
      const client = createByway(transport);
      const activity = await client.activity.list(
        { workspaceId: mine.workspaceId, apiKeyHash: mine.hash },
        { headers },
      );
      expect(activity.data).toMatchObject([
        { workspaceName: 'Team', workspaceDeleted: true, apiKeyName: 'team key', apiKeyDeleted: true },
      ]);
      const { data } = await client.generations.get({ id: mine.generationId }, { headers });
      expect(data).toMatchObject({ workspaceName: 'Team', byokKeyName: '=billing', byokKeyDeleted: true });
      for await (const one of client.generations.export({ workspaceId: mine.workspaceId }, { headers })) {
        expect(one).toMatchObject({ id: mine.generationId, apiKeyName: 'team key' });
      }
      const foreign = client.activity.list({ workspaceId: others.workspaceId }, { headers });
      await expect(foreign).rejects.toThrow('[invalid_argument]');
    }
  });
});

describe('filters', () => {
  const BY_WORKSPACE = ['/activity', '/generations', '/generations/export', '/keys', '/byok', '/guardrails'];
  const REFUSED = [400, 'invalid_request', 'workspace_id known'];

  it.each(BY_WORKSPACE)(
    'of GET %s take a workspace that once was the account’s, and no other',
    async (path) => {
      const { call, workspaceId } = mine;
      const was = await call('GET', `${path}?workspace_id=${workspaceId}`);
      expect([was.status, was.text]).toEqual([200, expect.anything()]);
      for (const id of [others.workspaceId, others.account.workspaceId, NO_ID, 'x', mine.byokId, mine.hash]) {
        expect(refusalOf(await call('GET', `${path}?workspace_id=${id}`))).toEqual(REFUSED);
      }
    },
  );

  it('take a list of workspaces of which some are deleted', async () => {
    const { call, workspaceId, account } = mine;
    const both = rowsOf(await call('GET', `/generations?workspace_id=${workspaceId},${account.workspaceId}`));
    expect(both).toHaveLength(2);
    const foreign = await call('GET', `/generations?workspace_id=${workspaceId},${others.workspaceId}`);
    expect(refusalOf(foreign)).toEqual(REFUSED);
  });

  it('find nothing of another account by its deleted keys', async () => {
    const { call } = mine;
    for (const path of ['/activity', '/generations']) {
      expect(rowsOf(await call('GET', `${path}?api_key_hash=${others.hash}`))).toEqual([]);
    }
    expect((await call('GET', `/generation?id=${others.generationId}`)).status).toBe(404);
  });

  it('bring nothing back: what is deleted can’t be read, changed or used', async () => {
    const { call, workspaceId, hash, byokId } = mine;
    for (const path of [`/workspaces/${workspaceId}`, `/keys/${hash}`, `/byok/${byokId}`]) {
      expect((await call('GET', path)).status).toBe(404);
      expect((await call('DELETE', path)).status).toBe(404);
    }
    for (const [path, body] of [
      ['/keys', { name: 'new' }],
      ['/byok', { provider: 'a', key: 'demo-echo-0123456789' }],
      ['/guardrails', { name: 'new' }],
    ] as const) {
      const made = await call('POST', path, { ...body, workspace_id: workspaceId });
      expect(refusalOf(made)).toEqual(REFUSED);
    }
    const again = recordOf(await call('POST', '/workspaces', { name: 'Team', slug: 'team' }));
    expect(again.id).not.toBe(workspaceId);
  });
});

describe('what was deleted before names were kept', () => {
  it('is found by its identifier and has no name', async () => {
    const { call, workspaceId, byokId, generationId } = await useAndDelete('', 'x');
    await gateway.gateway.database.transact([], async (tx) => {
      await tx.deleteFrom('deleted_name').where('id', 'in', [workspaceId, byokId]).execute();
    });
    const unknown = { workspace_name: null, workspace_deleted: true };
    const [row] = rowsOf(await call('GET', `/activity?workspace_id=${workspaceId}`));
    expect(row).toMatchObject({ ...unknown, api_key_name: 'team key' });
    const record = recordOf(await call('GET', `/generation?id=${generationId}`));
    expect(record).toMatchObject({ ...unknown, byok_key_name: null, byok_key_deleted: true });
  });
});

describe('a provider key without a name', () => {
  it('is called by its masked credential', async () => {
    const account = await gateway.addAccount();
    const call = caller(gateway, account.managementKey);
    const { id, label } = recordOf(
      await call('POST', '/byok', { provider: 'a', key: 'demo-echo-0123456789' }),
    );
    const generation = await chat(caller(gateway, account.apiKey));
    const nameNow = async () => named(recordOf(await call('GET', `/generation?id=${generation}`)));
    expect(await nameNow()).toMatchObject({ byok_key_name: label, byok_key_deleted: false });
    await call('DELETE', `/byok/${id}`);
    expect(await nameNow()).toMatchObject({ byok_key_name: label, byok_key_deleted: true });
  });
});
