import { newestPrograms } from '../../support/postgres/postgres-cluster.js';
import type { Bench } from '../bench.js';
import { median } from '../compare.js';
import { type Fleet, startFleet } from '../fleet.js';
import { CONNECTIONS, type Load, type Loaded, send } from '../load.js';
import type { Measurement } from '../measurement.js';
import { ALL_CPUS, isPinned, runScript } from '../processes.js';
import { shortChat } from './chat.js';

const ROUNDS = 5;
const WARM_UP = { seconds: 3 };
const ROUND = { seconds: 2 };

/** Chats a second of both gateways together that cause no queueing. */
const CALM_PER_SECOND = 100;
const CALM_SECONDS = 4;

/**
 * Chats of two gateways on one PostgreSQL database beside those of one. Where processes can be pinned, all that takes
 * part (gateways, database, loader) has one processor for one gateway and two for two: what scales has twice as much.
 * Beside it the same with nothing pinned, and how long chats of one key take where all gateways get them.
 */
export async function measurePostgres({ folder }: Bench): Promise<Measurement[]> {
  const programs = newestPrograms();
  if (programs === undefined) {
    process.stderr.write('No PostgreSQL is installed: nothing is measured on it.\n');
    return [];
  }
  const fleet = await startFleet(programs, folder);
  try {
    const one = [fleet.apiKey];
    await measure(fleet, { gateways: 2, keys: one, cpus: ALL_CPUS }, WARM_UP);
    return [
      ...(isPinned ? await scaling(fleet, 'one account', one, PINNED) : []),
      ...(isPinned ? await scaling(fleet, `${fleet.apiKeys.length} accounts`, fleet.apiKeys, PINNED) : []),
      ...(await scaling(fleet, 'one account, not pinned', one, { one: ALL_CPUS, two: ALL_CPUS })),
      ...(await hotKey(fleet)),
    ];
  } finally {
    await fleet.stop();
  }
}

/** The processors, by the number of gateways. */
type Shares = { readonly one: string; readonly two: string };

const PINNED: Shares = { one: '0', two: '0,1' };

interface Side {
  readonly gateways: 1 | 2;
  readonly keys: readonly string[];
  readonly cpus: string;
}

interface Measured {
  readonly perSecond: number;
  readonly errors: number;
  /** CPU microseconds per chat of all gateways, and of the database. */
  readonly gatewayMicros: number;
  readonly databaseMicros: number;
}

async function scaling(fleet: Fleet, what: string, keys: readonly string[], { one, two }: Shares) {
  const rounds: { readonly one: Measured; readonly two: Measured }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      one: await measure(fleet, { gateways: 1, keys, cpus: one }, ROUND),
      two: await measure(fleet, { gateways: 2, keys, cpus: two }, ROUND),
    });
  }
  const errors = rounds.reduce((sum, { one, two }) => sum + one.errors + two.errors, 0);
  const measurement = (title: string, unit: Measurement['unit'], name: keyof Measured): Measurement => ({
    title: `${title}, ${what}`,
    unit,
    peerIs: 'one gateway',
    errors,
    byway: median(rounds.map(({ two }) => two[name])),
    peer: median(rounds.map(({ one }) => one[name])),
  });
  return [
    measurement('Chats of two gateways on PostgreSQL', 'a second', 'perSecond'),
    measurement('CPU of the gateways a chat', 'us', 'gatewayMicros'),
    measurement('CPU of PostgreSQL a chat', 'us', 'databaseMicros'),
  ];
}

async function measure(fleet: Fleet, { gateways, keys, cpus }: Side, size: typeof ROUND): Promise<Measured> {
  if (isPinned) fleet.pin(cpus);
  const connections = CONNECTIONS / keys.length;
  const loads = fleet.servers
    .slice(0, gateways)
    .flatMap((server) => keys.map((key): Load => ({ ...shortChat(server, key), connections, cpus })));
  const before = fleet.cpuMs();
  const loaded = await Promise.all(loads.map((load) => send(load, size)));
  const after = fleet.cpuMs();
  const sum = (name: keyof Loaded) => loaded.reduce((total, each) => total + each[name], 0);
  const micros = (name: keyof typeof after) => ((after[name] - before[name]) * 1000) / sum('requests');
  return {
    perSecond: sum('perSecond'),
    errors: sum('errors'),
    gatewayMicros: micros('gateways'),
    databaseMicros: micros('database'),
  };
}

interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
}

/** At a calm rate over both gateways: all chats of one key beside those of as many accounts as there are. */
async function hotKey(fleet: Fleet): Promise<Measurement[]> {
  if (isPinned) fleet.pin(ALL_CPUS);
  const rounds: { readonly hot: Latency; readonly cool: Latency }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      hot: await latencyOf(fleet, [fleet.apiKey]),
      cool: await latencyOf(fleet, fleet.apiKeys),
    });
  }
  return (['p50', 'p99'] as const).map((percentile) => ({
    title: `Chats of one key at ${CALM_PER_SECOND} a second over two gateways, ${percentile}`,
    unit: 'ms',
    byway: median(rounds.map(({ hot }) => hot[percentile])),
    peer: median(rounds.map(({ cool }) => cool[percentile])),
    peerIs: `the same of ${fleet.apiKeys.length} accounts`,
    errors: rounds.reduce((sum, { hot, cool }) => sum + hot.errors + cool.errors, 0),
  }));
}

/** Gateways and keys are taken in turns. */
function latencyOf({ servers }: Fleet, keys: readonly string[]): Promise<Latency> {
  const targets = keys.flatMap((key) => servers.map((server) => shortChat(server, key)));
  const size = { perSecond: CALM_PER_SECOND, requests: CALM_PER_SECOND * CALM_SECONDS };
  return runScript<Latency>('paced', { ...targets[0], targets, ...size });
}
