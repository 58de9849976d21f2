import { beforeEach, describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { bodyOf, type Call, caller, type Row, recordOf, refused, rowsOf } from '../../support/rest.js';

const CHAT = { model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let gateway: TestGateway;
let manage: Call;
/** Workspaces of the account beside its default one. */
let first: string;
let second: string;

beforeEach(async () => {
  gateway = await startGateway({
    catalog: { providers: [demoProvider('demo')], models: [demoModel('demo/echo', ['demo'])] },
  });
  manage = caller(gateway, gateway.managementKey);
  first = await workspace('first');
  second = await workspace('second');
});

async function workspace(slug: string): Promise<string> {
  return String(recordOf(await manage('POST', '/workspaces', { name: slug, slug })).id);
}

/** Calls with an API key of the workspace. */
async function callerIn(workspaceId: string): Promise<Call> {
  const { key } = bodyOf(await manage('POST', '/keys', { name: 'In it', workspace_id: workspaceId }));
  return caller(gateway, String(key));
}

async function store(more: Row = {}): Promise<Row> {
  return recordOf(
    await manage('POST', '/byok', { provider: 'demo', key: 'demo-echo-0123456789abcdef', ...more }),
  );
}

/** The ids of the keys that would be tried, in order; `shared` stands for shared capacity. */
async function planOf(call: Call): Promise<string[]> {
  const { attempts } = recordOf(await call('POST', '/routing/explain', { model: 'demo/echo' }));
  return (attempts as Row[]).map((attempt) => String(attempt.byok_key_id ?? 'shared'));
}

describe('a provider key with workspace_ids', () => {
  it('belongs to its workspace alone unless it says so, and may be used where it names', async () => {
    const [inFirst, inSecond] = [await callerIn(first), await callerIn(second)];
    const alone = await store();
    expect(alone).toMatchObject({ workspace_id: gateway.workspaceId, workspace_ids: null });
    expect(await planOf(inFirst)).toEqual(['shared']);
    const named = recordOf(await manage('PATCH', `/byok/${alone.id}`, { workspace_ids: [first] }));
    expect(named).toMatchObject({ workspace_id: gateway.workspaceId, workspace_ids: [first] });
    expect(await planOf(inFirst)).toEqual([alone.id, 'shared']);
    expect(await planOf(inSecond)).toEqual(['shared']);
  });

  it('serves there with its credential; usage counts where the API key is', async () => {
    const inFirst = await callerIn(first);
    const key = await store({ workspace_ids: [first] });
    const { id } = bodyOf(await inFirst('POST', '/chat/completions', CHAT));
    expect(recordOf(await inFirst('GET', `/generation?id=${id}`))).toMatchObject({
      is_byok: true,
      byok_key_id: key.id,
    });
    const rows = (workspaceId: string) => manage('GET', `/generations?workspace_id=${workspaceId}`);
    expect(rowsOf(await rows(first)).map((row) => row.id)).toEqual([id]);
    expect(rowsOf(await rows(gateway.workspaceId))).toEqual([]);
  });

  it('["*"] is every workspace, those to come too', async () => {
    const key = await store({ workspace_ids: ['*'] });
    expect(key).toMatchObject({ workspace_ids: ['*'] });
    for (const id of [first, second, await workspace('later')]) {
      expect(await planOf(await callerIn(id))).toEqual([key.id, 'shared']);
    }
    const other = await gateway.addAccount();
    expect(await planOf(caller(gateway, other.apiKey))).toEqual(['shared']);
  });

  it('stands in its section after the own keys of the workspace, in the order of creation', async () => {
    const older = await store({ workspace_ids: ['*'] });
    const fallback = await store({ workspace_ids: ['*'], is_fallback: true });
    const newer = await store({ workspace_ids: ['*'] });
    const own = await store({ workspace_id: first });
    const ownFallback = await store({ workspace_id: first, is_fallback: true });
    const inFirst = await callerIn(first);
    const expected = [own.id, older.id, newer.id, 'shared', ownFallback.id, fallback.id];
    expect(await planOf(inFirst)).toEqual(expected);
    // In its own workspace a position is its own; elsewhere it changes nothing.
    await manage('PATCH', `/byok/${newer.id}`, { sort_order: 0 });
    expect(await planOf(inFirst)).toEqual(expected);
    expect(await planOf(caller(gateway, gateway.apiKey))).toEqual([
      newer.id,
      older.id,
      'shared',
      fallback.id,
    ]);
    await manage('PATCH', `/byok/${older.id}`, { is_fallback: true });
    expect(await planOf(inFirst)).toEqual([
      own.id,
      newer.id,
      'shared',
      ownFallback.id,
      older.id,
      fallback.id,
    ]);
  });

  it.each(['is_required', 'is_byok_only'])('%s binds in its own workspace alone', async (flag) => {
    const key = await store({ workspace_ids: [first], [flag]: true });
    expect(await planOf(caller(gateway, gateway.apiKey))).toEqual([key.id]);
    expect(await planOf(await callerIn(first))).toEqual([key.id, 'shared']);
    expect(recordOf(await manage('GET', `/byok/${key.id}`))).toMatchObject({ [flag]: true });
  });

  it('filters bind everywhere', async () => {
    const inFirst = await callerIn(first);
    const key = await store({ workspace_ids: [first], allowed_api_key_hashes: [gateway.apiKeyHash] });
    expect(await planOf(inFirst)).toEqual(['shared']);
    expect(await planOf(caller(gateway, gateway.apiKey))).toEqual([key.id, 'shared']);
    await manage('PATCH', `/byok/${key.id}`, { allowed_api_key_hashes: null, allowed_models: [] });
    expect(await planOf(inFirst)).toEqual(['shared']);
    await manage('PATCH', `/byok/${key.id}`, { allowed_models: ['demo/echo'] });
    expect(await planOf(inFirst)).toEqual([key.id, 'shared']);
  });

  it('is changed in one place: rotated, disabled and deleted for all at once', async () => {
    const inFirst = await callerIn(first);
    const key = await store({ workspace_ids: [first, second] });
    const served = async () => (await inFirst('POST', '/chat/completions', CHAT)).status;
    expect(await served()).toBe(200);
    await manage('PATCH', `/byok/${key.id}`, { key: 'demo-status-401-0123456789abcdef' });
    await served();
    const [row] = rowsOf(await manage('GET', '/generations'));
    const { provider_responses } = recordOf(await inFirst('GET', `/generation?id=${row?.id}`));
    expect(provider_responses).toMatchObject([{ byok_key_id: key.id, status: 401 }, { status: 200 }]);
    await manage('PATCH', `/byok/${key.id}`, { disabled: true });
    expect(await planOf(inFirst)).toEqual(['shared']);
    await manage('PATCH', `/byok/${key.id}`, { disabled: false });
    expect(await planOf(inFirst)).toContain(key.id);
    await manage('DELETE', `/byok/${key.id}`);
    expect(await planOf(inFirst)).toEqual(['shared']);
  });

  it('in an update: omitted keeps, a list replaces, null and an empty list clear', async () => {
    const key = await store({ workspace_ids: [first, first] });
    expect(key).toMatchObject({ workspace_ids: [first] });
    const patch = async (body: Row) => recordOf(await manage('PATCH', `/byok/${key.id}`, body)).workspace_ids;
    expect(await patch({ name: 'Mine' })).toEqual([first]);
    expect(await patch({ workspace_ids: [second, first] })).toEqual([second, first]);
    expect(await patch({ workspace_ids: null })).toBeNull();
    expect(await patch({ workspace_ids: ['*'] })).toEqual(['*']);
    expect(await patch({ workspace_ids: [] })).toBeNull();
    expect(await planOf(await callerIn(first))).toEqual(['shared']);
  });

  it('is listed for each workspace that may use it, and once in all', async () => {
    const named = await store({ workspace_ids: [first] });
    const all = await store({ workspace_ids: ['*'] });
    const own = await store({ workspace_id: first });
    const listed = async (query = '') => rowsOf(await manage('GET', `/byok${query}`)).map(({ id }) => id);
    expect(await listed()).toEqual([named.id, all.id, own.id]);
    expect(await listed(`?workspace_id=${first}`)).toEqual([named.id, all.id, own.id]);
    expect(await listed(`?workspace_id=${second}`)).toEqual([all.id]);
    expect(await listed(`?workspace_id=${gateway.workspaceId}`)).toEqual([named.id, all.id]);
  });

  it('loses a workspace that is deleted', async () => {
    const both = await store({ workspace_ids: [first, second] });
    const one = await store({ workspace_ids: [first] });
    const all = await store({ workspace_ids: ['*'] });
    expect((await manage('DELETE', `/workspaces/${first}`)).status).toBe(200);
    const listOf = async ({ id }: Row) => recordOf(await manage('GET', `/byok/${id}`)).workspace_ids;
    expect(await listOf(both)).toEqual([second]);
    expect(await listOf(one)).toBeNull();
    expect(await listOf(all)).toEqual(['*']);
  });

  it('is explained there as one of the keys that a request may use', async () => {
    const key = await store({ workspace_ids: [first], disabled: true });
    const explained = await (await callerIn(first))('POST', '/routing/explain', { model: 'demo/echo' });
    expect(explained.text).not.toContain('"workspace_ids"');
    await manage('PATCH', `/byok/${key.id}`, { disabled: false, declared_zdr: false });
    const zdr = { model: 'demo/echo', provider: { zdr: true } };
    expect((await (await callerIn(first))('POST', '/routing/explain', zdr)).text).toContain(String(key.id));
  });
});

describe('what workspace_ids refuses, writing nothing', () => {
  it.each<[string, (id: string) => unknown, string]>([
    ['an unknown workspace', (id) => [id, UNKNOWN], 'workspace_ids[1] known'],
    ['a name that is no id', () => ['first'], 'workspace_ids[0] known'],
    ['* beside another', (id) => ['*', id], 'workspace_ids[0] alone'],
    ['* twice', () => ['*', '*'], 'workspace_ids[0] alone,workspace_ids[1] alone'],
    ['more than 100', (id) => Array(101).fill(id), 'workspace_ids count'],
    ['a text', () => '*', 'workspace_ids type'],
    ['an empty text', () => [''], 'workspace_ids[0] length'],
  ])('%s', async (_, ids, violations) => {
    const key = await store();
    const body = { provider: 'demo', key: 'demo-echo-0123456789abcdef', workspace_ids: ids(first) };
    for (const call of [
      () => manage('POST', '/byok', body),
      () => manage('PATCH', `/byok/${key.id}`, { workspace_ids: ids(first) }),
    ]) {
      const [status, reason, ...found] = await refused(gateway, call);
      expect([status, reason, found.join()]).toEqual([400, 'invalid_request', violations]);
    }
  });

  it("another account's workspace", async () => {
    const other = await gateway.addAccount();
    const body = { provider: 'demo', key: 'demo-echo-0123', workspace_ids: [other.workspaceId] };
    expect(await refused(gateway, () => manage('POST', '/byok', body))).toEqual([
      400,
      'invalid_request',
      'workspace_ids[0] known',
    ]);
  });
});
