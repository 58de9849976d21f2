import { expect, test } from 'vitest';
import {
  DEFAULT_PREFERENCES,
  type PreferenceChanges,
  type Preferences,
  updatePreferences,
} from '../../src/accounts/policy/preferences.js';
import { CLEAR, KEEP, set } from '../../src/base/change.js';
import { createControl } from './control.js';

const FULL: Preferences = {
  allowedProviders: ['openai', 'demo'],
  ignoredProviders: ['azure'],
  zdr: true,
  dataCollection: 'deny',
  defaultSort: 'throughput',
};

const FIELDS: readonly [keyof Preferences, Preferences[keyof Preferences]][] = [
  ['allowedProviders', []],
  ['ignoredProviders', ['groq']],
  ['zdr', false],
  ['dataCollection', 'allow'],
  ['defaultSort', 'latency'],
];

async function withPreferences() {
  const { preferences, accountId, otherAccount } = await createControl();
  const update = (over: Partial<PreferenceChanges>) => {
    const keep = { allowedProviders: KEEP, ignoredProviders: KEEP, zdr: KEEP, dataCollection: KEEP };
    return updatePreferences(preferences, accountId, { ...keep, defaultSort: KEEP, ...over });
  };
  const setAll = () =>
    update({
      allowedProviders: set(['openai', 'demo', 'openai']),
      ignoredProviders: set(['azure']),
      zdr: set(true),
      dataCollection: set('deny' as const),
      defaultSort: set('throughput' as const),
    });
  const read = () => preferences.store.findPreferences(accountId);
  return {
    update,
    setAll,
    read,
    readOther: () => preferences.store.findPreferences(otherAccount.account.id),
  };
}

test('by default nothing is restricted, also after an empty update', async () => {
  const { update, read } = await withPreferences();
  expect(await read()).toEqual(DEFAULT_PREFERENCES);
  expect(await update({})).toEqual(DEFAULT_PREFERENCES);
  expect(await read()).toEqual(DEFAULT_PREFERENCES);
});

test('every field is read back, in this account only', async () => {
  const { setAll, read, readOther } = await withPreferences();
  expect(await setAll()).toEqual(FULL);
  expect(await read()).toEqual(FULL);
  expect(await readOther()).toEqual(DEFAULT_PREFERENCES);
});

test.each(FIELDS)('%s: omitted keeps, a value replaces, null clears', async (field, value) => {
  const { setAll, update, read } = await withPreferences();
  await setAll();
  expect(await update({})).toEqual(FULL);
  expect(await update({ [field]: set(value) })).toEqual({ ...FULL, [field]: value });
  expect(await read()).toEqual({ ...FULL, [field]: value });
  if (field === 'zdr') {
    await expect(update({ zdr: CLEAR })).rejects.toMatchObject({
      httpStatus: 400,
      violations: [{ field: 'zdr', rule: 'not_null' }],
    });
  } else {
    await update({ [field]: CLEAR });
    expect(await read()).toEqual({ ...FULL, [field]: null });
  }
});

test('every violation is named at once, and nothing changes', async () => {
  const { setAll, update, read } = await withPreferences();
  await setAll();
  const updating = update({
    allowedProviders: set(['openai', '']),
    ignoredProviders: set(Array.from({ length: 1001 }, () => 'azure')),
    zdr: CLEAR,
    defaultSort: set('price' as const),
  });
  await expect(updating).rejects.toMatchObject({
    reason: 'invalid_request',
    violations: [
      { field: 'allowed_providers[1]', rule: 'length' },
      { field: 'ignored_providers', rule: 'count' },
      { field: 'zdr', rule: 'not_null' },
    ],
  });
  expect(await read()).toEqual(FULL);
});

test('concurrent updates of different fields all take effect', async () => {
  const { setAll, update, read } = await withPreferences();
  await setAll();
  await Promise.all(FIELDS.map(([field, value]) => update({ [field]: set(value) })));
  expect(await read()).toEqual(Object.fromEntries(FIELDS));
});
