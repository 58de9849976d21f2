import { readFile } from 'node:fs/promises';
import { createFirstAccount } from '../accounts/create-account.js';
import { systemClock } from '../base/clock.js';
import { systemIds } from '../base/ids.js';
import { Problem } from '../base/problem.js';
import { DEFAULT_CATALOG_FILE } from '../catalog/default.js';
import { importCatalog } from '../catalog/import.js';
import type { Gateway } from '../compose.js';
import { ConfigError } from '../config.js';
import { createKey } from '../keys/create-key.js';
import { topUp } from '../spend/credits.js';
import { operatorOf } from './operator.js';

/** What the very first start has made. The keys are kept nowhere else. */
export interface FirstStart {
  readonly apiKey: string;
  readonly managementKey: string;
}

/** 10 USD. */
const DEMO_CREDITS_NANO_USD = 10n * 10n ** 9n;

/**
 * Imports the operator's catalogue, where one is configured; else the packaged one, where there is none at all. Throws
 * ConfigError for a file that can't be taken; nothing has changed then.
 */
export async function prepareCatalog({ stores, router }: Gateway, catalogFile: string | null): Promise<void> {
  if (catalogFile !== null) {
    await importConfigured(stores.catalog, catalogFile);
    return;
  }
  const { providers, models } = await router.catalogs.current();
  if (providers.size > 0 || models.length > 0) return;
  await importCatalog(stores.catalog, await readFile(DEFAULT_CATALOG_FILE, 'utf8'), { merge: false });
}

/**
 * Makes the demo account, with credits and an API key, where there is no account at all; undefined when there was one,
 * or when another process that starts at the same time makes it.
 */
export async function createDemoAccount({ stores }: Gateway): Promise<FirstStart | undefined> {
  const shared = { clock: systemClock, ids: systemIds };
  const demo = { name: 'Demo', plan: 'pay_as_you_go' } as const;
  const created = await createFirstAccount({ store: stores.accounts, ...shared }, demo);
  if (created === undefined) return undefined;
  const { account, managementKey } = created;
  await topUp({ store: stores.credits, ...shared }, account.id, DEMO_CREDITS_NANO_USD);
  const { secret } = await createKey(
    { store: stores.keys, usage: stores.usage, ...shared },
    operatorOf(account),
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

async function importConfigured(store: Gateway['stores']['catalog'], file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`BYWAY_CATALOG: cannot read ${file} (${error.code})`);
  });
  try {
    await importCatalog(store, text, { merge: false });
  } catch (error) {
    if (!(error instanceof Problem) || error.reason !== 'invalid_request') throw error;
    const { field, message } = error.violations[0] ?? { field: '', message: error.message };
    const count = error.violations.length;
    const fault = field === '' ? message : `${field}: ${message}`;
    throw new ConfigError(
      `BYWAY_CATALOG: ${file} has ${count} ${count === 1 ? 'fault' : 'faults'}, the first: ${fault}`,
    );
  }
}
