import { readFile } from 'node:fs/promises';
import { createAccount } from '../accounts/create-account.js';
import { systemClock } from '../base/clock.js';
import { systemIds } from '../base/ids.js';
import { DEFAULT_CATALOG_FILE } from '../catalog/default.js';
import { importCatalog } from '../catalog/import.js';
import type { Gateway } from '../compose.js';
import type { Config } from '../config.js';
import { createKey } from '../keys/create-key.js';
import { topUp } from '../spend/credits.js';

/** What the very first start has made. The keys are kept nowhere else. */
export interface FirstStart {
  readonly apiKey: string;
  readonly managementKey: string;
}

/** 10 USD. */
const DEMO_CREDITS_NANO_USD = 10n * 10n ** 9n;

/**
 * Imports the operator's catalogue, where one is configured, at every start, else the packaged one at the first. Makes
 * the demo account where there is no account at all; undefined when there was one.
 */
export async function firstStart(gateway: Gateway, config: Config): Promise<FirstStart | undefined> {
  const { stores } = gateway;
  const isFirst = !(await stores.accounts.hasAccounts());
  const catalogFile = config.catalogFile ?? (isFirst ? DEFAULT_CATALOG_FILE : null);
  if (catalogFile !== null) {
    await importCatalog(stores.catalog, await readFile(catalogFile, 'utf8'), { merge: false });
  }
  return isFirst ? createDemoAccount(gateway) : undefined;
}

async function createDemoAccount({ stores }: Gateway): Promise<FirstStart> {
  const shared = { clock: systemClock, ids: systemIds };
  const { account, managementKey } = await createAccount(
    { store: stores.accounts, ...shared },
    { name: 'Demo', plan: 'pay_as_you_go' },
  );
  await topUp({ store: stores.credits, ...shared }, account.id, DEMO_CREDITS_NANO_USD);
  const { secret } = await createKey(
    { store: stores.keys, usage: stores.usage, ...shared },
    { kind: 'management_key', accountId: account.id, hash: '', userId: account.ownerUserId },
    {
      name: 'Demo key',
      limitNanoUsd: null,
      limitReset: null,
      includeByokInLimit: false,
      expiresAt: null,
      workspaceId: null,
      creatorUserId: null,
    },
  );
  return { apiKey: secret, managementKey };
}
