import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, type Call, caller, type Row, recordOf, refused, rowsOf } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;

beforeAll(async () => {
  gateway = await launchGateway();
  manage = caller(gateway, gateway.managementKey);
});
afterAll(() => gateway.stop());

async function newClient(members: object): Promise<{ record: Row; call: Call }> {
  const { data, client_secret: secret } = bodyOf(
    await manage('POST', '/clients', { name: 'App', ...members }),
  );
  return { record: data as Row, call: caller(gateway, String(secret)) };
}

describe("a client's keys belong to the client's own member", () => {
  it('which is the one named at its creation, or a new one', async () => {
    const named = await newClient({ user_id: 'user_portal' });
    expect(named.record.user_id).toBe('user_portal');
    const { record } = await newClient({});
    expect(record.user_id).toBe(`client:${record.id}`);
    expect(rowsOf(await manage('GET', '/clients'))).toEqual([named.record, record]);
  });

  it('whether or not a key names it', async () => {
    const { call } = await newClient({ user_id: 'user_portal' });
    for (const members of [{}, { creator_user_id: null }, { creator_user_id: 'user_portal' }]) {
      const key = recordOf(await call('POST', '/keys', { name: 'n', ...members }));
      expect(key.creator_user_id).toBe('user_portal');
    }
  });

  it('and a key for any other member is 403, the owner of the account included, and is not created', async () => {
    const { record, call } = await newClient({});
    const owner = recordOf(await manage('POST', '/keys', { name: 'n' })).creator_user_id;
    for (const creator_user_id of [owner, 'user_somebody', `${record.user_id}x`]) {
      const refusal = refused(gateway, () => call('POST', '/keys', { name: 'n', creator_user_id }));
      expect(await refusal).toEqual([403, 'permission_denied']);
    }
    expect(rowsOf(await call('GET', '/keys'))).toEqual([]);
  });

  it('violations of the request are reported first', async () => {
    const { call } = await newClient({});
    const refusal = refused(gateway, () => call('POST', '/keys', { name: '', creator_user_id: 'user_x' }));
    expect(await refusal).toEqual([400, 'invalid_request', 'name required']);
  });

  it("so that they can't use BYOK keys that are restricted to other members", async () => {
    const chat = async (key: string) => {
      const body = { model: 'test/m1', messages: [{ role: 'user', content: 'Hi' }] };
      await caller(gateway, key)('POST', '/chat/completions', body);
      const [generation] = rowsOf(await manage('GET', '/generations?limit=1'));
      return generation?.byok_key_id;
    };
    const shown = { provider: 'a', key: 'demo-echo-0123456789', allowed_user_ids: ['user_alice'] };
    const { id } = recordOf(await manage('POST', '/byok', shown));
    onTestFinished(async () => void (await manage('DELETE', `/byok/${id}`)));
    const ofAlice = bodyOf(await manage('POST', '/keys', { name: 'n', creator_user_id: 'user_alice' }));
    expect(await chat(String(ofAlice.key))).toBe(id);
    const { call } = await newClient({});
    const ofClient = bodyOf(await call('POST', '/keys', { name: 'n' }));
    expect(await chat(String(ofClient.key))).toBeNull();
  });
});

it('clients of the previous version get a member of their own, and the keys that they created keep theirs', async () => {
  const { record, call } = await newClient({ user_id: 'user_of_old' });
  const made = recordOf(await call('POST', '/keys', { name: 'Made before' }));
  // As the previous version wrote its rows, without this column.
  const { database } = gateway.gateway;
  await database.transact(['identity'], async (tx) => {
    await tx.updateTable('client').set({ user_id: null }).where('id', '=', String(record.id)).execute();
  });
  const fresh = recordOf(await call('POST', '/keys', { name: 'Made after' }));
  expect([made.creator_user_id, fresh.creator_user_id]).toEqual(['user_of_old', `client:${record.id}`]);
  expect(rowsOf(await call('GET', '/keys'))).toEqual([made, fresh]);
  expect(rowsOf(await manage('GET', '/clients'))).toContainEqual({
    ...record,
    user_id: `client:${record.id}`,
  });
});
