import { createFirstAccount, type FirstKeys, newFirstKeys } from '../../accounts/account/first-account.js';
import { systemClock } from '../../base/clock.js';
import { systemIds } from '../../base/ids.js';
import type { Gateway } from '../../compose/gateway.js';
import { topUp } from '../../ledger/credits.js';
import { FirstStartFile } from './first-start-file.js';

/** What the very first start has created. The keys are stored only in the file; null without one. */
export interface FirstStart {
  readonly keys: FirstKeys;
  readonly file: string | null;
}

/** 10 USD. */
const DEMO_CREDITS_NANO_USD = 10n * 10n ** 9n;

const DEPENDENCIES = { clock: systemClock, ids: systemIds };

/**
 * Creates the demo account, with credits, an API key and an operator key, when there is no account at all; undefined
 * when there is one, or when another process that starts at the same time creates it. With a data directory the keys
 * are written to a file there, to the disk, before the account is stored: a crash at any point leaves either valid
 * keys or a file that the next start uses. Throws the system's error for a file that can't be written.
 */
export async function makeFirstAccount(
  { stores }: Gateway,
  dataDir: string | null,
): Promise<FirstStart | undefined> {
  if (await stores.accounts.hasAccounts()) return undefined;
  const fresh = newFirstKeys(systemIds);
  const file = dataDir === null ? null : FirstStartFile.writeOrReuse(dataDir, fresh);
  const keys = file?.keys ?? fresh;
  if (!(await createFirstAccount({ store: stores.accounts, ...DEPENDENCIES }, keys))) {
    // The faster process may have used this very file.
    if ((await stores.accounts.findAccount(keys.accountId)) === undefined) file?.remove();
    return undefined;
  }
  await topUp({ store: stores.credits, ...DEPENDENCIES }, keys.accountId, DEMO_CREDITS_NANO_USD);
  return { keys, file: file?.path ?? null };
}
