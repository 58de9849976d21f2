import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createAccount } from '../../src/accounts/account/create-account.js';
import { type Clock, systemClock } from '../../src/base/clock.js';
import { systemIds } from '../../src/base/ids.js';
import { importCatalog } from '../../src/catalog/importing/import.js';
import { compose } from '../../src/compose/compose.js';
import type { Gateway } from '../../src/compose/gateway.js';
import { readConfig } from '../../src/config/config.js';
import { createKey, type NewKey } from '../../src/identity/create-key.js';
import { FailedAttempts } from '../../src/identity/failed-attempts.js';
import { createOperatorKey } from '../../src/identity/operator-key.js';
import type { ManagementKeyPrincipal } from '../../src/identity/principal.js';
import { topUp } from '../../src/ledger/credits.js';
import { type Adapters, createUpstream } from '../../src/providers/index.js';
import { createApp } from '../../src/server/app.js';
import type { Drain } from '../../src/server/health/drain.js';
import { loadTlsIdentity } from '../../src/server/port/tls.js';
import { type TestCatalog, testCatalog } from './catalog.js';
import { makeDatabase, usualKind } from './database.js';
import { directSetting } from './postgres/pgbouncer.js';
import { copyMigrated } from './sqlite-template.js';

/** A whole gateway on a port of its own, with an account, its keys and a small catalogue. */
export interface TestGateway {
  readonly gateway: Gateway;
  readonly server: FastifyInstance;
  /** Stops it as a signal does, but for what `gateway.close` closes. */
  readonly drain: Drain;
  /** Root of the server, without a slash at its end. */
  readonly url: string;
  /** Root of the REST operations. */
  readonly rest: string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly ownerUserId: string;
  readonly managementKey: string;
  readonly apiKey: string;
  readonly apiKeyHash: string;
  /** Belongs to no account. */
  readonly operatorKey: string;
  /** All log lines, of every level. */
  readonly log: string[];
  /** Another account with its keys, for tests of isolation. */
  addAccount(options?: { credits?: bigint }): Promise<TestAccount>;
}

/** An account with one key of each kind. */
export interface TestAccount {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly ownerUserId: string;
  readonly managementKey: string;
  readonly apiKey: string;
  readonly apiKeyHash: string;
}

export interface TestGatewayOptions {
  /** Environment of the configuration, beside the data directory. */
  readonly env?: Readonly<Record<string, string>>;
  readonly catalog?: TestCatalog;
  /** By default those of the test catalogue. */
  readonly adapters?: Adapters;
  /** Nano-USD of credits; 10 USD when left out. */
  readonly credits?: bigint;
  /** By default the system's clock. */
  readonly clock?: Clock;
  /** Where a built dashboard is; without it none is served. */
  readonly dashboard?: string;
  /** Limit of unknown credentials per address; by default practically none. */
  readonly failedPerSecond?: number;
}

const TEN_USD = 10n * 10n ** 9n;

/** Starts a gateway that ends with the test. */
export async function startGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const started = await launchGateway(options);
  onTestFinished(started.stop);
  return started;
}

/** Starts a gateway that several tests share; whoever starts it stops it. */
export async function launchGateway(
  options: TestGatewayOptions = {},
): Promise<TestGateway & { readonly stop: () => Promise<void> }> {
  const { clock = systemClock } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'byway-test-'));
  const log: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => void log.push(line) });
  const isGiven = options.env?.BYWAY_DATABASE_URL !== undefined;
  const shared = usualKind() === 'postgres' && !isGiven ? await makeDatabase() : undefined;
  if (shared === undefined && !isGiven) copyMigrated(join(dataDir, 'byway.db'));
  const config = readConfig({
    BYWAY_DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: '0',
    ...(shared && { BYWAY_DATABASE_URL: shared.url }),
    ...directSetting(options.env?.BYWAY_DATABASE_URL ?? shared?.url),
    ...options.env,
  });
  const gateway = await compose(config, {
    clock,
    ids: systemIds,
    log: logger,
    failedAttempts: new FailedAttempts(options.failedPerSecond ?? 1_000_000),
    upstream: {
      ...createUpstream({ clock, ...config }),
      ...(options.adapters !== undefined && { adapters: options.adapters }),
    },
  });
  await importCatalog(gateway.stores.catalog, JSON.stringify(options.catalog ?? testCatalog()), {
    merge: false,
  });
  const account = await addAccount(gateway, clock, options.credits ?? TEN_USD);
  const operatorKeys = { store: gateway.stores.operatorKeys, clock, ids: systemIds };
  const { secret: operatorKey } = await createOperatorKey(operatorKeys, 'Test operator');
  const { server, drain } = await createApp({
    ...gateway,
    check: () => gateway.database.ping(),
    clock,
    ids: systemIds,
    config,
    ...(config.tls !== null && { tls: loadTlsIdentity(config.tls) }),
    ...(options.dashboard !== undefined && { dashboard: options.dashboard }),
    logger,
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  gateway.batches.start();
  return {
    gateway,
    server,
    drain,
    url,
    rest: `${url}/api/v1`,
    dataDir,
    databaseUrl: config.databaseUrl,
    operatorKey,
    log,
    ...account,
    addAccount: ({ credits = TEN_USD } = {}) => addAccount(gateway, clock, credits),
    async stop() {
      await server.close();
      await gateway.close();
      await shared?.remove();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export async function addAccount(
  { stores }: Pick<Gateway, 'stores'>,
  clock: Clock = systemClock,
  credits = TEN_USD,
): Promise<TestAccount> {
  const shared = { clock, ids: systemIds };
  const created = await createAccount(
    { store: stores.accounts, ...shared },
    { name: 'Test', plan: 'pay_as_you_go' },
  );
  const { account, workspace, managementKey } = created;
  if (credits > 0n) await topUp({ store: stores.credits, ...shared }, account.id, credits);
  const manager: ManagementKeyPrincipal = {
    kind: 'management_key',
    accountId: account.id,
    hash: '',
    userId: account.ownerUserId,
  };
  const wanted: NewKey = {
    name: 'Test key',
    limitNanoUsd: null,
    limitReset: null,
    includeByokInLimit: false,
    endUserLimitNanoUsd: null,
    endUserLimitReset: null,
    endUserRequired: false,
    cacheTtl: null,
    expiresAt: null,
    workspaceId: null,
    creatorUserId: null,
  };
  const { record, secret } = await createKey(
    { store: stores.keys, usage: stores.usage, ...shared },
    manager,
    wanted,
  );
  return {
    accountId: account.id,
    workspaceId: workspace.id,
    ownerUserId: account.ownerUserId,
    managementKey,
    apiKey: secret,
    apiKeyHash: record.key.hash,
  };
}
