/** Gateways on one PostgreSQL server of their own, all of which can be pinned to other processors while they run. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../src/accounts/account/create-account.js';
import { systemClock } from '../../src/base/clock.js';
import { systemIds } from '../../src/base/ids.js';
import { createKey } from '../../src/identity/create-key.js';
import { topUp } from '../../src/ledger/credits.js';
import { openDatabase } from '../../src/store/open.js';
import { createStores } from '../../src/store/stores.js';
import { makeCluster } from '../support/postgres/postgres-cluster.js';
import { cpuMsOf, type Server } from './processes.js';
import { prepareSubject, startSubject } from './subject.js';

/** Two gateways, and what they share. */
export interface Fleet {
  readonly servers: readonly [Server, Server];
  /** A key of the demo account. */
  readonly apiKey: string;
  /** Keys of different accounts. */
  readonly apiKeys: readonly string[];
  /** Pins the gateways, the database server and all of their threads to these processors. */
  pin(cpus: string): void;
  /** Time on a processor so far, in milliseconds. */
  cpuMs(): { readonly gateways: number; readonly database: number };
  stop(): Promise<void>;
}

const ACCOUNTS = 8;
const CREDITS = 10n ** 15n;

/** Starts it; the database does not wait for its disk. */
export async function startFleet(programs: string, folder: string): Promise<Fleet> {
  const dataDir = join(folder, 'postgres');
  mkdirSync(dataDir);
  // Not below our folder: the server may have to run as somebody else.
  const home = mkdtempSync(join(tmpdir(), 'byway-bench-'));
  const cluster = await makeCluster(programs, home, {});
  await cluster.start();
  const subject = await prepareSubject(dataDir, cluster.url);
  const apiKeys = await addAccounts(cluster.url);
  const start = () => startSubject(subject, [], null);
  const servers = [await start(), await start()] as const;
  const postmaster = Number(readFileSync(join(home, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
  return {
    servers,
    apiKey: subject.apiKey,
    apiKeys,
    pin(cpus) {
      const pids = [...servers.map(({ pid }) => pid), postmaster, ...childrenOf(postmaster)];
      for (const pid of pids) spawnSync('taskset', ['-apc', cpus, String(pid)]);
    },
    cpuMs() {
      const sum = (pids: readonly number[]) => pids.reduce((total, pid) => total + (cpuMsOf(pid) ?? 0), 0);
      return {
        gateways: sum(servers.map(({ pid }) => pid)),
        database: sum([postmaster, ...childrenOf(postmaster)]),
      };
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
      await subject.provider.stop();
      await cluster.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** API keys of further accounts with enough credits for all. */
async function addAccounts(databaseUrl: string): Promise<string[]> {
  const shared = { clock: systemClock, ids: systemIds };
  const database = await openDatabase(databaseUrl);
  const { accounts, credits, keys, usage } = createStores(database, shared);
  const secrets: string[] = [];
  for (let number = 0; number < ACCOUNTS; number++) {
    const wanted = { name: `Bench ${number}`, plan: 'pay_as_you_go' } as const;
    const { account } = await createAccount({ store: accounts, ...shared }, wanted);
    const { id: accountId, ownerUserId: userId } = account;
    await topUp({ store: credits, ...shared }, accountId, CREDITS);
    const manager = { kind: 'management_key', accountId, hash: '', userId } as const;
    const { secret } = await createKey({ store: keys, usage, ...shared }, manager, {
      name: 'Bench',
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
    });
    secrets.push(secret);
  }
  await database.close();
  return secrets;
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}
