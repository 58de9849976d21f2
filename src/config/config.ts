/** Reads and checks the environment, once. Nothing else reads `process.env`. */
import { resolve } from 'node:path';
import type { Proxies } from '../base/proxies.js';
import { DEFAULT_TIMEOUTS, type Timeouts } from '../base/timeouts.js';
import { databaseUrlOf, directUrlOf, isDatabaseServer, withLibpqVariables } from './database.js';
import { ConfigError } from './error.js';
import { readHosts, readPublicUrl, readRegionHosts } from './hosts.js';
import { readAliases, readOrigins } from './lists.js';
import { PROXY_SETTINGS, readProxies } from './proxies.js';
import { isServiceLink } from './service-links.js';
import { readTlsFiles, type TlsFiles } from './tls-files.js';

export { databaseUrlOf, isDatabaseServer } from './database.js';
export { ConfigError } from './error.js';

/** Every setting of the gateway, checked, with its default filled in (docs/operations.md#configuration). */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** `sqlite:PATH` or `postgres://...`, which may hold a password. */
  readonly databaseUrl: string;
  /** PostgreSQL itself, for locks and notifications, when a pooler is behind `databaseUrl`; null = `databaseUrl`. */
  readonly databaseDirectUrl: string | null;
  /** A catalogue file that is imported at every start; null = the packaged one, on the first start. */
  readonly catalogFile: string | null;
  /** The only hosts that requests may be made to, as `hostName` spells them; null = any. */
  readonly hosts: ReadonlySet<string> | null;
  /** Hosts as `hostName` spells them, and the region of each. */
  readonly regionHosts: ReadonlyMap<string, string>;
  /** `BYWAY_MASTER_KEY[_FILE]` and `BYWAY_MASTER_KEY_PREVIOUS` unchecked; the vault checks them. */
  readonly masterKey: string | undefined;
  readonly masterKeyFile: string | undefined;
  readonly masterKeyPrevious: string | undefined;
  readonly logLevel: LogLevel;
  /** How long requests in flight may go on once the server stops. */
  readonly drainMs: number;
  readonly allowPrivateUpstreams: boolean;
  /** `BYWAY_BILLING`: whether accounts pay with credits, and fees for BYOK usage. */
  readonly isBilled: boolean;
  /** `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, for everything that is called. */
  readonly proxies: Proxies;
  readonly timeouts: Timeouts;
  /** What becomes of answers whose clients leave; over own keys of the account requests may say otherwise. */
  readonly onDisconnect: Readonly<Record<'shared' | 'byok', (typeof DISCONNECTS)[number]>>;
  /** After how much silence a stream shows that it lives, in milliseconds; 0 = never. */
  readonly pingMs: number;
  readonly maxAttempts: number;
  /** Requests that an account may have in flight at one host of a provider; null = as many as others leave. */
  readonly maxInFlightPerAccount: number | null;
  /** Root of the URLs in answers, without a trailing slash; null = the host of the request. */
  readonly publicUrl: string | null;
  /** `BYWAY_TLS_CERT` and `BYWAY_TLS_KEY`; null = cleartext. The server reads the files. */
  readonly tls: TlsFiles | null;
  /** Origins whose pages may call, as browsers spell them; `*` alone = all, empty = none. */
  readonly corsOrigins: ReadonlySet<string>;
  /** What cached answers may take in all, encrypted; 0 = none is cached. */
  readonly cacheMaxBytes: number;
  /** How long a request waits for money that requests in flight hold; 0 = not at all. */
  readonly reservationWaitMs: number;
  /** Further names that members of answers are sent under; the server checks the members' own names. */
  readonly fieldAliases: ReadonlyMap<string, readonly string[]>;
  /** Administrative calls of one principal; 0 = no rate limit. */
  readonly adminRatePerMinute: number;
  /** Number of the operator's proxies before the port, each of which adds to `X-Forwarded-For`; 0 = none is trusted. */
  readonly trustedProxies: number;
  /** How long records and entries of the ledger are kept, in days; null = for ever. */
  readonly retention: { readonly records: number | null; readonly ledger: number | null };
  /** Processes that serve on the one port; 1 = this one. */
  readonly workers: number;
}

const DISCONNECTS = ['finish', 'cancel'] as const;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** Every variable that is read, and whether its value may be shown. */
const SETTINGS = {
  HOST: 'open',
  PORT: 'open',
  BYWAY_ADMIN_RATE_PER_MINUTE: 'open',
  BYWAY_ALLOW_PRIVATE_UPSTREAMS: 'open',
  BYWAY_BILLING: 'open',
  BYWAY_CACHE_MAX_MB: 'open',
  BYWAY_CATALOG: 'open',
  BYWAY_CORS_ORIGINS: 'open',
  BYWAY_DATABASE_DIRECT_URL: 'secret',
  BYWAY_DATABASE_URL: 'secret',
  BYWAY_DATA_DIR: 'open',
  BYWAY_DRAIN_MS: 'open',
  BYWAY_FIELD_ALIASES: 'open',
  BYWAY_FIRST_BYTE_TIMEOUT_MS: 'open',
  BYWAY_FIRST_TOKEN_TIMEOUT_MS: 'open',
  BYWAY_HOSTS: 'open',
  BYWAY_IDLE_TIMEOUT_MS: 'open',
  BYWAY_LOG_LEVEL: 'open',
  BYWAY_LEDGER_RETENTION_DAYS: 'open',
  BYWAY_MASTER_KEY: 'secret',
  BYWAY_MASTER_KEY_FILE: 'open',
  BYWAY_MASTER_KEY_PREVIOUS: 'secret',
  BYWAY_MAX_ATTEMPTS: 'open',
  BYWAY_MAX_IN_FLIGHT_PER_ACCOUNT: 'open',
  BYWAY_ON_DISCONNECT: 'open',
  BYWAY_ON_DISCONNECT_BYOK: 'open',
  BYWAY_PING_MS: 'open',
  BYWAY_PUBLIC_URL: 'open',
  BYWAY_REGION_HOSTS: 'open',
  BYWAY_RESERVATION_WAIT_MS: 'open',
  BYWAY_RETENTION_DAYS: 'open',
  BYWAY_TLS_CERT: 'open',
  BYWAY_TLS_KEY: 'open',
  BYWAY_TOTAL_TIMEOUT_MS: 'open',
  BYWAY_TRUST_PROXY: 'open',
  BYWAY_WORKERS: 'open',
  ...PROXY_SETTINGS,
} as const satisfies Record<string, 'open' | 'secret'>;

type Setting = keyof typeof SETTINGS;

/** The variables of the environment, to be shown to the operator. */
export interface GivenSettings {
  /** Variables that are set, by name; the value is null where it is or may hold a secret. */
  readonly set: readonly { readonly name: string; readonly value: string | null }[];
  /** Variables that begin with `BYWAY_` and that nothing reads. */
  readonly unknown: readonly string[];
  /** The names of all variables that are read. */
  readonly known: readonly string[];
}

/** Lists the variables of the environment that belong to Byway. Checks no values. */
export function givenSettings(env: Environment = process.env): GivenSettings {
  const known = Object.keys(SETTINGS);
  const set = Object.entries(SETTINGS).flatMap(([name, kind]) => {
    const value = env[name]?.trim() ?? '';
    return value === '' ? [] : [{ name, value: kind === 'secret' ? null : value }];
  });
  const unknown = Object.entries(env).filter(
    ([name, value = '']) => name.startsWith('BYWAY_') && !known.includes(name) && !isServiceLink(name, value),
  );
  return { set, unknown: unknown.map(([name]) => name).sort(), known };
}

/** Reads the configuration. Throws ConfigError for the first value that breaks a rule. */
export function readConfig(env: Environment = process.env): Config {
  const dataDir = resolve(text(env, 'BYWAY_DATA_DIR') ?? 'data');
  const url = databaseUrl(env, dataDir);
  const regionHosts = readRegionHosts(list(env, 'BYWAY_REGION_HOSTS'));
  const publicUrl = readPublicUrl(text(env, 'BYWAY_PUBLIC_URL'));
  return Object.freeze({
    host: host(env),
    port: integer(env, 'PORT', 8080, 0, 65_535),
    dataDir,
    databaseUrl: url,
    databaseDirectUrl: databaseDirectUrl(env, url),
    catalogFile: text(env, 'BYWAY_CATALOG') ?? null,
    hosts: readHosts(list(env, 'BYWAY_HOSTS'), regionHosts, publicUrl),
    regionHosts,
    masterKey: text(env, 'BYWAY_MASTER_KEY'),
    masterKeyFile: text(env, 'BYWAY_MASTER_KEY_FILE'),
    masterKeyPrevious: text(env, 'BYWAY_MASTER_KEY_PREVIOUS'),
    logLevel: oneOf(env, 'BYWAY_LOG_LEVEL', LOG_LEVELS, 'info'),
    drainMs: integer(env, 'BYWAY_DRAIN_MS', 25_000, 0, MAX_DRAIN_MS),
    allowPrivateUpstreams: flag(env, 'BYWAY_ALLOW_PRIVATE_UPSTREAMS'),
    isBilled: oneOf(env, 'BYWAY_BILLING', ['on', 'off'], 'on') === 'on',
    proxies: readProxies((name) => text(env, name)),
    timeouts: {
      firstByteMs: milliseconds(env, 'BYWAY_FIRST_BYTE_TIMEOUT_MS', DEFAULT_TIMEOUTS.firstByteMs),
      firstTokenMs: milliseconds(env, 'BYWAY_FIRST_TOKEN_TIMEOUT_MS', DEFAULT_TIMEOUTS.firstTokenMs),
      idleMs: milliseconds(env, 'BYWAY_IDLE_TIMEOUT_MS', DEFAULT_TIMEOUTS.idleMs),
      totalMs: milliseconds(env, 'BYWAY_TOTAL_TIMEOUT_MS', DEFAULT_TIMEOUTS.totalMs),
    },
    onDisconnect: {
      shared: oneOf(env, 'BYWAY_ON_DISCONNECT', DISCONNECTS, 'finish'),
      byok: oneOf(env, 'BYWAY_ON_DISCONNECT_BYOK', DISCONNECTS, 'cancel'),
    },
    cacheMaxBytes: integer(env, 'BYWAY_CACHE_MAX_MB', 256, 0, MAX_CACHE_MB) * MIB,
    reservationWaitMs: integer(env, 'BYWAY_RESERVATION_WAIT_MS', 3_000, 0, MAX_RESERVATION_WAIT_MS),
    pingMs: integer(env, 'BYWAY_PING_MS', 10_000, 0, MAX_PING_MS),
    maxAttempts: integer(env, 'BYWAY_MAX_ATTEMPTS', 32, 1, 1_000),
    maxInFlightPerAccount: optionalInteger(env, 'BYWAY_MAX_IN_FLIGHT_PER_ACCOUNT', 1, MAX_IN_FLIGHT),
    publicUrl,
    tls: readTlsFiles((name) => text(env, name)),
    corsOrigins: readOrigins(list(env, 'BYWAY_CORS_ORIGINS')),
    fieldAliases: readAliases(list(env, 'BYWAY_FIELD_ALIASES')),
    adminRatePerMinute: integer(env, 'BYWAY_ADMIN_RATE_PER_MINUTE', 600, 0, 1_000_000),
    trustedProxies: integer(env, 'BYWAY_TRUST_PROXY', 0, 0, 10),
    retention: {
      records: optionalInteger(env, 'BYWAY_RETENTION_DAYS', MIN_RECORD_DAYS, MAX_DAYS),
      ledger: optionalInteger(env, 'BYWAY_LEDGER_RETENTION_DAYS', MIN_LEDGER_DAYS, MAX_DAYS),
    },
    workers: workers(env, url),
  });
}

function text(env: Environment, name: Setting): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

/** The name `localhost` has two addresses, and would need two servers; one is enough. */
function host(env: Environment): string {
  const value = text(env, 'HOST') ?? '0.0.0.0';
  return value === 'localhost' ? '127.0.0.1' : value;
}

function list(env: Environment, name: Setting): string[] {
  const value = text(env, name);
  return value === undefined ? [] : value.split(',').map((entry) => entry.trim());
}

function integer(env: Environment, name: Setting, fallback: number, min: number, max: number): number {
  const value = text(env, name);
  if (value === undefined) return fallback;
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw new ConfigError(`${name} must be an integer from ${min} to ${max}`);
  }
  return number;
}

/** The longest delay of a Node timer. */
const MAX_TIMEOUT_MS = 2_147_483_647;

function milliseconds(env: Environment, name: Setting, fallback: number): number {
  return integer(env, name, fallback, 1, MAX_TIMEOUT_MS);
}

/** Comments come at one and a half times that, and no timer may be longer than the longest one. */
const MAX_PING_MS = 3_600_000;

/** A batch lives for 30 days, and what is charged of it already is found by its records. */
const MIN_RECORD_DAYS = 31;

/** What such a batch owes as BYOK fee is found by the entries of the month in which it began. */
const MIN_LEDGER_DAYS = 93;

const MAX_DAYS = 36_500;
const MAX_DRAIN_MS = 3_600_000;

const MIB = 1024 * 1024;

/** 1 TiB. */
const MAX_CACHE_MB = 1_048_576;

/** Clients and proxies give up an answer that has not begun within a minute. */
const MAX_RESERVATION_WAIT_MS = 60_000;

/** All places at a host that one account may have. */
const MAX_IN_FLIGHT = 1_024;

function optionalInteger(env: Environment, name: Setting, min: number, max: number): number | null {
  return text(env, name) === undefined ? null : integer(env, name, min, min, max);
}

function flag(env: Environment, name: Setting): boolean {
  const value = text(env, name) ?? '0';
  if (value !== '0' && value !== '1') throw new ConfigError(`${name} must be 0 or 1`);
  return value === '1';
}

function oneOf<T extends string>(env: Environment, name: Setting, values: readonly T[], fallback: T): T {
  const value = text(env, name);
  if (value === undefined) return fallback;
  const found = values.find((candidate) => candidate === value);
  if (found === undefined) throw new ConfigError(`${name} must be one of ${values.join(', ')}`);
  return found;
}

function databaseUrl(env: Environment, dataDir: string): string {
  const name = 'BYWAY_DATABASE_URL';
  const url = databaseUrlOf(name, text(env, name) ?? `sqlite:${resolve(dataDir, 'byway.db')}`);
  return databaseUrlOf(name, withLibpqVariables(url, env));
}

function databaseDirectUrl(env: Environment, databaseUrl: string): string | null {
  const name = 'BYWAY_DATABASE_DIRECT_URL';
  const url = text(env, name);
  if (url === undefined) return null;
  return directUrlOf(name, withLibpqVariables(directUrlOf(name, url, databaseUrl), env), databaseUrl);
}

/** Whether region hosts are given, but a request that a proxy sends to another host is served without their rules. */
export function isOpenToAnyHost({ hosts, regionHosts }: Pick<Config, 'hosts' | 'regionHosts'>): boolean {
  return regionHosts.size > 0 && hosts === null;
}

function workers(env: Environment, databaseUrl: string): number {
  const count = integer(env, 'BYWAY_WORKERS', 1, 1, 64);
  if (count > 1 && !isDatabaseServer(databaseUrl)) {
    throw new ConfigError(
      'BYWAY_WORKERS must be 1 on SQLite; several workers need PostgreSQL (BYWAY_DATABASE_URL)',
    );
  }
  return count;
}
