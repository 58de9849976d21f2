import { ConnectError, createClient } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { ErrorDetailSchema } from '../../gen/byway/v1/error_pb.js';
import { GuardrailService } from '../../gen/byway/v1/guardrails_pb.js';
import { WorkspaceService } from '../../gen/byway/v1/workspaces_pb.js';
import { isoTimestamp } from '../../src/base/clock.js';
import { newKey, START } from '../identity/world.js';
import { broken, NOW, refused, UUID, withTransports } from './transports.js';

const GUARDRAIL = {
  name: 'Guard',
  description: 'All of it',
  limit_usd: 1.500000001,
  reset_interval: 'weekly',
  allowed_models: ['a/one'],
  ignored_models: [],
  allowed_providers: ['openai'],
  ignored_providers: ['azure'],
  enforce_zdr: true,
  data_collection: 'deny',
  allowed_data_regions: ['eu'],
  include_byok_in_budgets: true,
};

const UNSET = {
  description: null,
  limit_usd: null,
  reset_interval: null,
  allowed_models: null,
  ignored_models: null,
  allowed_providers: null,
  ignored_providers: null,
  enforce_zdr: false,
  data_collection: null,
  allowed_data_regions: null,
  include_byok_in_budgets: false,
};

describe('guardrails over REST', () => {
  test('every field is read back; unset members are null', async () => {
    const { control, rest } = await withTransports();
    const record = {
      id: UUID,
      workspace_id: control.workspaceId,
      created_at: NOW,
      updated_at: NOW,
      warnings: expect.any(Array),
    };
    const created = await rest('POST', '/guardrails', GUARDRAIL);
    expect(created).toEqual({ status: 201, body: { data: { ...record, ...GUARDRAIL } } });
    const { id } = (created.body as { data: { id: string } }).data;
    expect(await rest('GET', `/guardrails/${id}`)).toEqual({ ...created, status: 200 });
    const plain = await rest('POST', '/guardrails', { name: 'Plain', ...UNSET });
    expect(plain).toEqual({ status: 201, body: { data: { ...record, ...UNSET, name: 'Plain' } } });
    const list = await rest('GET', '/guardrails?offset=1');
    expect(list).toMatchObject({ status: 200, body: { total_count: 3 } });
  });

  test('PATCH: omitted keeps, null clears, a value replaces, booleans and the name refuse null', async () => {
    const { control, rest } = await withTransports();
    const created = await rest('POST', '/guardrails', GUARDRAIL);
    const { data } = created.body as { data: { id: string } };
    const path = `/guardrails/${data.id}`;
    control.world.clock.nowMs = START + 1000;
    expect(await rest('PATCH', path, {})).toEqual({ status: 200, body: { data } });
    const nullable = Object.fromEntries(Object.entries(UNSET).filter(([, value]) => value === null));
    const updated = { ...data, updated_at: isoTimestamp(START + 1000), warnings: expect.any(Array) };
    expect(await rest('PATCH', path, nullable)).toEqual({
      status: 200,
      body: { data: { ...updated, ...nullable } },
    });
    const values = { ...GUARDRAIL, name: 'Renamed', enforce_zdr: false, allowed_models: [] };
    expect(await rest('PATCH', path, values)).toEqual({
      status: 200,
      body: { data: { ...updated, ...values } },
    });
    const nulls = { name: null, enforce_zdr: null, include_byok_in_budgets: null };
    expect(await rest('PATCH', path, nulls)).toEqual(
      broken(['name', 'not_null'], ['enforce_zdr', 'not_null'], ['include_byok_in_budgets', 'not_null']),
    );
    expect(await rest('DELETE', path)).toEqual({ status: 200, body: { deleted: true } });
    expect(await rest('GET', path)).toEqual(refused(404, 'not_found'));
  });

  test('violations of the contract and of our own rules are named together', async () => {
    const { rest } = await withTransports();
    const input = { name: '', limit_usd: -1, allowed_models: [''], allowed_data_regions: ['eu', ''] };
    expect(await rest('POST', '/guardrails', input)).toEqual(
      broken(
        ['name', 'required'],
        ['limit_usd', 'range'],
        ['allowed_models[0]', 'length'],
        ['allowed_data_regions[1]', 'length'],
      ),
    );
    expect(await rest('POST', '/guardrails', { name: 'x', limit_usd: 1e-10, ignored_models: [''] })).toEqual(
      broken(['limit_usd', 'decimals'], ['ignored_models[0]', 'length']),
    );
    expect(await rest('POST', '/guardrails', { nmae: 'x', enforce_zdr: 'yes', id: 'mine' })).toMatchObject({
      status: 400,
      body: { error: { metadata: { violations: { length: 3 } } } },
    });
    const unknown = { name: 'x', workspace_id: 'nothing' };
    expect(await rest('POST', '/guardrails', unknown)).toEqual(broken(['workspace_id', 'known']));
    expect(await rest('GET', '/guardrails?workspace_id=x')).toEqual(broken(['workspace_id', 'known']));
  });

  test('the default guardrail cannot be deleted', async () => {
    const { control, rest } = await withTransports();
    const path = `/guardrails/${control.mine.workspace.defaultGuardrailId}`;
    expect(await rest('DELETE', path)).toEqual(refused(409, 'in_use'));
  });

  test('assignments of keys and members', async () => {
    const { control, rest } = await withTransports();
    const { hash, name, label } = (await newKey(control.world, control.mine.principal)).record.key;
    const { accountId } = control.mine.principal;
    const id = control.mine.workspace.defaultGuardrailId;
    const assignment = { id: UUID, guardrail_id: id, created_at: NOW, assigned_by: null };
    const known = { key_name: name, key_label: label };
    const [keys, members] = [`/guardrails/${id}/assignments/keys`, `/guardrails/${id}/assignments/members`];
    expect(await rest('POST', keys, { key_hashes: [hash] })).toEqual({
      status: 200,
      body: { assigned_count: 1 },
    });
    expect(await rest('GET', keys)).toEqual({
      status: 200,
      body: { data: [{ ...assignment, key_hash: hash, ...known }], total_count: 1 },
    });
    expect(await rest('POST', members, { member_user_ids: ['user_a'] })).toEqual({
      status: 200,
      body: { assigned_count: 1 },
    });
    expect(await rest('GET', members)).toEqual({
      status: 200,
      body: { data: [{ ...assignment, user_id: 'user_a', organization_id: accountId }], total_count: 1 },
    });
    const unassigned = { status: 200, body: { unassigned_count: 1 } };
    expect(await rest('POST', `${keys}/remove`, { key_hashes: [hash] })).toEqual(unassigned);
    expect(await rest('POST', `${members}/remove`, { member_user_ids: ['user_a'] })).toEqual(unassigned);
    expect(await rest('POST', keys, { key_hashes: [hash, 'x'] })).toEqual(broken(['key_hashes[1]', 'known']));
    expect(await rest('POST', keys, { key_hashes: [] })).toEqual(broken(['key_hashes', 'required']));
    expect(await rest('POST', members, {})).toEqual(broken(['member_user_ids', 'required']));
    const many = { member_user_ids: Array.from({ length: 101 }, () => 'a') };
    expect(await rest('POST', members, many)).toEqual(broken(['member_user_ids', 'count']));
    const unknown = '/guardrails/nothing/assignments/keys';
    expect(await rest('POST', unknown, { key_hashes: [hash] })).toEqual(refused(404, 'not_found'));
    expect(await rest('GET', unknown)).toEqual(refused(404, 'not_found'));
  });
});

describe('over RPC', () => {
  const detailOf = (error: unknown) => ConnectError.from(error).findDetails(ErrorDetailSchema)[0];

  test('a field in the mask without a value is cleared, or refused by name if it cannot be empty', async () => {
    const { control, transport, contextValues, failures } = await withTransports();
    const guardrails = createClient(GuardrailService, transport);
    const { id } = { id: control.mine.workspace.defaultGuardrailId };
    const paths = ['name', 'enforce_zdr', 'include_byok_in_budgets', 'description'];
    const updating = guardrails.updateGuardrail(
      { guardrail: { id }, updateMask: { paths } },
      { contextValues },
    );
    const detail = detailOf(await updating.catch((error: unknown) => error));
    expect(detail?.violations.map(({ field, rule }) => [field, rule])).toEqual([
      ['name', 'not_null'],
      ['enforce_zdr', 'not_null'],
      ['include_byok_in_budgets', 'not_null'],
    ]);
    for (const path of ['id', 'nothing', 'workspace_id', 'created_at']) {
      const wrong = guardrails.updateGuardrail(
        { guardrail: { id }, updateMask: { paths: [path] } },
        { contextValues },
      );
      expect(detailOf(await wrong.catch((error: unknown) => error))).toMatchObject({ httpStatus: 400 });
    }
    expect(failures).toEqual([]);
  });

  test('an unknown enum value is an error of the request, not of the service', async () => {
    const { transport, contextValues, failures, control } = await withTransports();
    const guardrails = createClient(GuardrailService, transport);
    const workspaces = createClient(WorkspaceService, transport);
    const id = control.mine.workspace.defaultGuardrailId;
    const refused = async (calling: Promise<unknown>) =>
      expect(detailOf(await calling.catch((error: unknown) => error))).toMatchObject({ httpStatus: 400 });
    await Promise.all(
      [
        guardrails.createGuardrail({ name: 'x', resetInterval: 0, dataCollection: 0 }, { contextValues }),
        guardrails.updateGuardrail({ guardrail: { id, resetInterval: 0 } }, { contextValues }),
        workspaces.getWorkspaceBudget({ id: 'default' }, { contextValues }),
        workspaces.putWorkspaceBudget({ id: 'default', limitUsd: 1, interval: 0 }, { contextValues }),
      ].map(refused),
    );
    expect(failures).toEqual([]);
  });
});
