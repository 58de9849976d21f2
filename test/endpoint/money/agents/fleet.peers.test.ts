import { describe, expect, it } from 'vitest';
import { temporaryDatabaseUrl } from '../../../support/database.js';
import { expectSettled } from '../../../support/money.js';
import { hasPostgres } from '../../../support/postgres/postgres-access.js';
import { caller } from '../../../support/rest.js';
import { serveFrom } from '../../serving.js';
import {
  AT_ONCE,
  accountUnder,
  COST_USD,
  call,
  expectAllPaidFor,
  kinds,
  LIMIT_USD,
  PATIENT,
  SLOW,
  spentUsd,
  startAgents,
  statusesOf,
  together,
} from './agents.js';

const TIMEOUT_MS = 180_000;
const PROCESSES = 4;

/** Processes that share one database, and the gateway that set it up. */
async function startFleet(env: Readonly<Record<string, string>> = {}) {
  const databaseUrl = await temporaryDatabaseUrl('postgres');
  const gateway = await startAgents({ env: { BYWAY_DATABASE_URL: databaseUrl } });
  const served = { databaseUrl, catalog: gateway.catalog, env };
  const processes = await Promise.all(
    Array.from({ length: PROCESSES }, () => serveFrom(gateway.dataDir, served)),
  );
  return {
    gateway,
    callers: (apiKey: string) => processes.map((process) => caller(process, apiKey)),
  };
}

describe.runIf(hasPostgres())('four processes with one database', () => {
  it(
    '200 calls of coding agents at once under whatever has 25 USD are all served where they wait long enough',
    async () => {
      const { gateway, callers } = await startFleet(PATIENT);
      gateway.answers({ delayMs: 200 });
      for (const kind of kinds(LIMIT_USD)) {
        const account = await accountUnder(gateway, kind, LIMIT_USD);
        const uses = callers(account.apiKey);
        const answers = await together(AT_ONCE, (at) => call(uses[at % PROCESSES] ?? account.use, at));
        expect([kind.name, statusesOf(answers)]).toEqual([kind.name, { 200: AT_ONCE }]);
        expect(await spentUsd(account)).toBeCloseTo(AT_ONCE * COST_USD, 6);
      }
      await expectSettled(gateway);
    },
    TIMEOUT_MS,
  );

  it(
    'where answers take longer than they are waited for, what is refused is 429 alone, and who comes again gets all that there is',
    async () => {
      const { gateway, callers } = await startFleet({ BYWAY_RESERVATION_WAIT_MS: String(SLOW.waitMs) });
      gateway.answers(SLOW);
      await Promise.all(
        kinds(SLOW.limitUsd).map(async (kind) => {
          const account = await accountUnder(gateway, kind, SLOW.limitUsd);
          await expectAllPaidFor(account, kind, callers(account.apiKey));
        }),
      );
      await expectSettled(gateway);
    },
    TIMEOUT_MS,
  );
});
