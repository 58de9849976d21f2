import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { type Call, caller, type Row, recordOf, refused } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;
let key: Row;

beforeAll(async () => {
  gateway = await launchGateway();
  manage = caller(gateway, gateway.managementKey);
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  key = recordOf(await create({}));
});

const create = (filters: object) =>
  manage('POST', '/byok', { provider: 'a', key: 'demo-echo-0123456789', ...filters });
const patch = (filters: object) => manage('PATCH', `/byok/${key.id}`, filters);
const TRANSPORTS = [
  ['on create', create],
  ['on update', patch],
] as const;

async function newHash(members: object = {}): Promise<string> {
  return String(recordOf(await manage('POST', '/keys', { name: 'n', ...members })).hash);
}

describe.each(TRANSPORTS)('allowed_api_key_hashes %s', (_, send) => {
  const field = 'allowed_api_key_hashes';
  const refusal = (hashes: unknown) => refused(gateway, () => send({ [field]: hashes }));
  const hash = (character: string, length = 64) => character.repeat(length);

  it.each([
    ['63 characters', () => hash('a', 63)],
    ['65 characters', () => hash('a', 65)],
    ['upper case', () => gateway.apiKeyHash.toUpperCase()],
    ['a letter that is no digit', () => hash('g')],
    ['a line break behind it', () => `${gateway.apiKeyHash}\n`],
    ['a space before it', () => ` ${gateway.apiKeyHash}`],
    ['a prefix', () => `0x${gateway.apiKeyHash}`],
    ['nothing', () => ''],
    ["the secret in the hash's place", () => gateway.apiKey],
  ])('rule 1: exactly 64 lowercase hexadecimal characters, so not %s', async (_name, entry) => {
    expect(await refusal([gateway.apiKeyHash, entry()])).toEqual([
      400,
      'invalid_request',
      `${field}[1] pattern`,
    ]);
  });

  it.each<[unknown, string]>([
    ['a'.repeat(64), field],
    [{}, field],
    [5, field],
    [[5], `${field}[0]`],
    [[null], `${field}[0]`],
    [[['a'.repeat(64)]], `${field}[0]`],
  ])('rule 1: an array of strings, so not %j', async (value, at) => {
    expect(await refusal(value)).toEqual([400, 'invalid_request', `${at} type`]);
  });

  it('rule 2: at most 100 entries, counted as sent', async () => {
    const same = (count: number) => Array.from({ length: count }, () => gateway.apiKeyHash);
    expect(recordOf(await send({ [field]: same(100) }))[field]).toEqual([gateway.apiKeyHash]);
    expect(await refusal(same(101))).toEqual([400, 'invalid_request', `${field} count`]);
  });

  it('rule 3: at least one entry; null lifts the restriction', async () => {
    expect(await refusal([])).toEqual([400, 'invalid_request', `${field} count`]);
    expect(recordOf(await send({ [field]: null }))[field]).toBeNull();
  });

  it('rule 4: unknown, foreign, deleted and expired hashes are refused, in the same words', async () => {
    const foreign = (await gateway.addAccount()).apiKeyHash;
    const deleted = await newHash();
    await manage('DELETE', `/keys/${deleted}`);
    const expired = await newHash({ expires_at: new Date(Date.now() + 1_000).toISOString() });
    await sleep(1_010);
    const texts = new Set<string>();
    for (const one of [hash('f'), foreign, deleted, expired]) {
      expect(await refusal([one])).toEqual([400, 'invalid_request', `${field}[0] live`]);
      texts.add((await send({ [field]: [one] })).text);
    }
    expect(texts.size).toBe(1);
  });

  it('rule 4: a disabled key, and one that will expire, are live', async () => {
    const disabled = await newHash();
    await manage('PATCH', `/keys/${disabled}`, { disabled: true });
    const expiring = await newHash({ expires_at: '2099-01-01T00:00:00Z' });
    expect(recordOf(await send({ [field]: [disabled, expiring] }))[field]).toEqual([disabled, expiring]);
  });

  it('reports every violation with its position', async () => {
    const sent = [hash('f'), gateway.apiKeyHash, 'x', hash('e'), ''];
    expect(await refusal(sent)).toEqual([
      400,
      'invalid_request',
      `${field}[2] pattern`,
      `${field}[4] pattern`,
      `${field}[0] live`,
      `${field}[3] live`,
    ]);
  });

  it('duplicates collapse, in the order sent', async () => {
    const second = await newHash();
    const sent = [second, gateway.apiKeyHash, second, gateway.apiKeyHash];
    expect(recordOf(await send({ [field]: sent }))[field]).toEqual([second, gateway.apiKeyHash]);
  });

  it('a refused filter sets none of the others', async () => {
    const call = () => send({ allowed_models: ['a/b'], allowed_user_ids: ['u'], [field]: [] });
    expect(await refused(gateway, call)).toEqual([400, 'invalid_request', `${field} count`]);
  });
});

describe.each(TRANSPORTS)('allowed_models and allowed_user_ids %s', (_, send) => {
  describe.each(['allowed_models', 'allowed_user_ids'])('%s', (field) => {
    const many = (count: number) => Array.from({ length: count }, (_entry, index) => `entry-${index}`);

    it('takes 100 entries and no more, counted as sent', async () => {
      expect(recordOf(await send({ [field]: many(100) }))[field]).toEqual(many(100));
      const same = Array.from({ length: 101 }, () => 'one');
      for (const entries of [many(101), same]) {
        const answer = await refused(gateway, () => send({ [field]: entries }));
        expect(answer).toEqual([400, 'invalid_request', `${field} count`]);
      }
    });

    it('takes an empty array, which matches nothing', async () => {
      expect(recordOf(await send({ [field]: [] }))[field]).toEqual([]);
    });

    it('takes unknown names, and collapses duplicates', async () => {
      const sent = ['no/such', 'other', 'no/such'];
      expect(recordOf(await send({ [field]: sent }))[field]).toEqual(['no/such', 'other']);
    });

    it('reports entries that are not strings', async () => {
      const answer = await refused(gateway, () => send({ [field]: ['a', 1, {}] }));
      expect(answer).toEqual([400, 'invalid_request', `${field}[1] type`, `${field}[2] type`]);
    });
  });
});

describe('three states of each filter on update', () => {
  it('omitted keeps, null clears, an array replaces: of three filters each on its own', async () => {
    const hashes = [gateway.apiKeyHash];
    const all = { allowed_models: ['m/1'], allowed_api_key_hashes: hashes, allowed_user_ids: ['u1'] };
    await patch(all);
    expect(recordOf(await patch({ allowed_models: ['m/2'] }))).toMatchObject({
      ...all,
      allowed_models: ['m/2'],
    });
    expect(recordOf(await patch({ allowed_models: null }))).toMatchObject({ ...all, allowed_models: null });
    expect(recordOf(await patch({ allowed_api_key_hashes: null, allowed_user_ids: [] }))).toMatchObject({
      allowed_models: null,
      allowed_api_key_hashes: null,
      allowed_user_ids: [],
    });
  });

  it('a stored hash whose key is gone stays until the filter is changed, and then must be live', async () => {
    const gone = await newHash();
    await patch({ allowed_api_key_hashes: [gone] });
    await manage('DELETE', `/keys/${gone}`);
    expect(recordOf(await patch({ name: 'x' })).allowed_api_key_hashes).toEqual([gone]);
    const call = () => patch({ allowed_api_key_hashes: [gone, gateway.apiKeyHash] });
    expect(await refused(gateway, call)).toEqual([400, 'invalid_request', 'allowed_api_key_hashes[0] live']);
  });
});
