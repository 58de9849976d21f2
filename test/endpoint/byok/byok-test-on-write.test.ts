import { create } from '@bufbuild/protobuf';
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt';
import { createConnectTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createByway } from '../../../src/client/index.js';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, type Call, caller, recordOf, refused, rowsOf } from '../../support/rest.js';
import { waitFor } from '../../support/wait-for.js';
import { everyKindOfProvider } from '../provider-kinds.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;

beforeAll(async () => {
  gateway = await launchGateway({ catalog: everyKindOfProvider() });
  manage = caller(gateway, gateway.managementKey);
});
afterAll(() => gateway.stop());

const GOOD = { provider: 'demo', key: 'demo-echo-0123456789abcdef' };
const BAD_KEY = 'demo-status-401-0123456789abcdef';

describe('a test asked for with the key', () => {
  it('is answered beside the record, which is stored whatever comes of it', async () => {
    const good = await manage('POST', '/byok', { ...GOOD, test: true });
    expect(good.status).toBe(201);
    expect(bodyOf(good)).toMatchObject({ data: { provider: 'demo' }, test: { ok: true, reason: 'ok' } });
    const bad = await manage('POST', '/byok', { ...GOOD, key: BAD_KEY, test: true });
    expect(bad.status).toBe(201);
    expect(bodyOf(bad)).toMatchObject({ test: { ok: false, status: 401, reason: 'invalid_credential' } });
    const { id } = recordOf(bad);
    expect(recordOf(await manage('GET', `/byok/${id}`))).toMatchObject({ id });
  });

  it('is made of an update after the change, and by itself changes nothing but the mark of a refused key', async () => {
    const created = recordOf(await manage('POST', '/byok', GOOD));
    const changed = await manage('PATCH', `/byok/${created.id}`, { key: BAD_KEY, test: true });
    expect(bodyOf(changed)).toMatchObject({ test: { reason: 'invalid_credential' } });
    await waitFor(async () =>
      expect(recordOf(await manage('GET', `/byok/${created.id}`)).refusal).not.toBeNull(),
    );
    const alone = await manage('PATCH', `/byok/${created.id}`, { test: true });
    expect(bodyOf(alone)).toMatchObject({ test: { reason: 'invalid_credential' } });
    expect(recordOf(changed).refusal).toBeNull();
    expect(recordOf(alone)).toEqual({
      ...recordOf(changed),
      refusal: { reason: 'credential_refused', status: 401, refused_at: expect.any(String) },
    });
    expect(recordOf(alone)).not.toHaveProperty('test');
  });

  it('is left out, of the answer too, where it is not asked for', async () => {
    for (const test of [{}, { test: false }]) {
      const created = await manage('POST', '/byok', { ...GOOD, ...test });
      expect(bodyOf(created)).not.toHaveProperty('test');
      const { id } = recordOf(created);
      expect(bodyOf(await manage('PATCH', `/byok/${id}`, { name: 'Mine', ...test }))).not.toHaveProperty(
        'test',
      );
    }
  });

  it('is no part of the mask over RPC', async () => {
    const baseUrl = gateway.url;
    const byway = createByway(
      createConnectTransport({
        baseUrl,
        httpVersion: '1.1',
        interceptors: [
          (next) => (request) => {
            request.header.set('authorization', `Bearer ${gateway.managementKey}`);
            return next(request);
          },
        ],
      }),
    );
    const { data } = await byway.byok.create(GOOD);
    const updateMask = create(FieldMaskSchema, { paths: ['name'] });
    const answer = await byway.byok.update({
      byokKey: { id: data?.id ?? '', name: 'Mine', test: true },
      updateMask,
    });
    expect([answer.data?.name, answer.test?.ok]).toEqual(['Mine', true]);
  });

  it('makes no call for a key that is refused', async () => {
    expect(await refused(gateway, () => manage('POST', '/byok', { ...GOOD, key: '', test: true }))).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('key'),
    ]);
    expect(await refused(gateway, () => manage('POST', '/byok', { ...GOOD, test: 'yes' }))).toEqual([
      400,
      'invalid_request',
      'test type',
    ]);
  });
});

describe('warnings about a key', () => {
  it('stand in every answer with the record, and go with the credential that they are about', async () => {
    const created = await manage('POST', '/byok', { provider: 'openai', key: '$OPENAI_API_KEY' });
    const warnings = [
      { field: 'key', rule: 'placeholder', message: expect.stringContaining('store the value') },
    ];
    expect(recordOf(created)).toMatchObject({ label: '...', warnings });
    const { id } = recordOf(created);
    expect(recordOf(await manage('GET', `/byok/${id}`))).toMatchObject({ warnings });
    const rows = rowsOf(await manage('GET', '/byok?limit=100'));
    expect(rows.find((row) => row.id === id)).toMatchObject({ warnings });
    const mended = await manage('PATCH', `/byok/${id}`, { key: `sk-proj-${'a1B2c3D4'.repeat(12)}` });
    expect(recordOf(mended)).toMatchObject({ warnings: [] });
    expect(recordOf(await manage('GET', `/byok/${id}`))).toMatchObject({ warnings: [] });
  });

  it('are only in answers', async () => {
    expect(await refused(gateway, () => manage('POST', '/byok', { ...GOOD, warnings: [] }))).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('warnings'),
    ]);
  });
});
