import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Config, ConfigError, readConfig } from '../src/config/config.js';

const DEFAULTS: Config = {
  host: '0.0.0.0',
  port: 8080,
  dataDir: resolve('data'),
  databaseUrl: `sqlite:${resolve('data', 'byway.db')}`,
  databaseDirectUrl: null,
  catalogFile: null,
  hosts: null,
  regionHosts: new Map(),
  masterKey: undefined,
  masterKeyFile: undefined,
  masterKeyPrevious: undefined,
  logLevel: 'info',
  drainMs: 25_000,
  allowPrivateUpstreams: false,
  isBilled: true,
  proxies: { https: null, http: null, exempt: [] },
  timeouts: { firstByteMs: 60_000, firstTokenMs: 120_000, idleMs: 120_000, totalMs: 600_000 },
  onDisconnect: { shared: 'finish', byok: 'cancel' },
  cacheMaxBytes: 268_435_456,
  reservationWaitMs: 3_000,
  pingMs: 10_000,
  maxAttempts: 32,
  maxInFlightPerAccount: null,
  publicUrl: null,
  tls: null,
  corsOrigins: new Set(),
  fieldAliases: new Map(),
  adminRatePerMinute: 600,
  trustedProxies: 0,
  retention: { records: null, ledger: null },
  workers: 1,
};

type Environment = Readonly<Record<string, string>>;

/** What is different from the defaults. */
const VALID: readonly (readonly [Environment, Partial<Config>])[] = [
  [{ BYWAY_CACHE_MAX_MB: '0' }, { cacheMaxBytes: 0 }],
  [{ BYWAY_CACHE_MAX_MB: '1048576' }, { cacheMaxBytes: 1_099_511_627_776 }],
  [{ BYWAY_RESERVATION_WAIT_MS: '0' }, { reservationWaitMs: 0 }],
  [{ BYWAY_RESERVATION_WAIT_MS: '60000' }, { reservationWaitMs: 60_000 }],
  [{ HOST: '127.0.0.1' }, { host: '127.0.0.1' }],
  [{ HOST: 'localhost' }, { host: '127.0.0.1' }],
  [{ HOST: '::' }, { host: '::' }],
  [{ PORT: '0' }, { port: 0 }],
  [{ PORT: ' 65535 ' }, { port: 65_535 }],
  [{ BYWAY_DATA_DIR: '/d' }, { dataDir: '/d', databaseUrl: 'sqlite:/d/byway.db' }],
  [{ BYWAY_DATABASE_URL: 'sqlite:/x/y.db' }, { databaseUrl: 'sqlite:/x/y.db' }],
  ...['postgres://u:p@h:5433/d?sslmode=verify-full', 'postgresql://h/d'].map(
    (url): [Environment, Partial<Config>] => [{ BYWAY_DATABASE_URL: url }, { databaseUrl: url }],
  ),
  [{ BYWAY_CATALOG: 'models.json' }, { catalogFile: 'models.json' }],
  [
    { BYWAY_REGION_HOSTS: 'EU.example.com=eu, us.example.com=us' },
    {
      regionHosts: new Map([
        ['eu.example.com', 'eu'],
        ['us.example.com', 'us'],
      ]),
    },
  ],
  [
    { BYWAY_REGION_HOSTS: 'eu.example.com.=eu,[0::1]=us' },
    {
      regionHosts: new Map([
        ['eu.example.com', 'eu'],
        ['[::1]', 'us'],
      ]),
    },
  ],
  [
    { BYWAY_HOSTS: 'LLM.example.com., [2001:DB8:0::1],127.0.0.1' },
    { hosts: new Set(['llm.example.com', '[2001:db8::1]', '127.0.0.1']) },
  ],
  [
    { BYWAY_HOSTS: 'a', BYWAY_REGION_HOSTS: 'b=eu', BYWAY_PUBLIC_URL: 'https://C:8443/llm' },
    { hosts: new Set(['b', 'a', 'c']), regionHosts: new Map([['b', 'eu']]), publicUrl: 'https://C:8443/llm' },
  ],
  [{ BYWAY_MASTER_KEY: 'k' }, { masterKey: 'k' }],
  [{ BYWAY_MASTER_KEY_FILE: 'f' }, { masterKeyFile: 'f' }],
  [{ BYWAY_MASTER_KEY_PREVIOUS: 'p,q' }, { masterKeyPrevious: 'p,q' }],
  [{ BYWAY_LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
  [{ BYWAY_DRAIN_MS: '0' }, { drainMs: 0 }],
  [{ BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' }, { allowPrivateUpstreams: true }],
  [
    {
      BYWAY_FIRST_BYTE_TIMEOUT_MS: '1',
      BYWAY_FIRST_TOKEN_TIMEOUT_MS: '2',
      BYWAY_IDLE_TIMEOUT_MS: '3',
      BYWAY_TOTAL_TIMEOUT_MS: '2147483647',
    },
    { timeouts: { firstByteMs: 1, firstTokenMs: 2, idleMs: 3, totalMs: 2_147_483_647 } },
  ],
  [{ BYWAY_BILLING: 'off' }, { isBilled: false }],
  [{ BYWAY_BILLING: 'on' }, { isBilled: true }],
  [{ BYWAY_MAX_ATTEMPTS: '1' }, { maxAttempts: 1 }],
  [{ BYWAY_MAX_IN_FLIGHT_PER_ACCOUNT: '1024' }, { maxInFlightPerAccount: 1_024 }],
  [{ BYWAY_RETENTION_DAYS: '31' }, { retention: { records: 31, ledger: null } }],
  [{ BYWAY_LEDGER_RETENTION_DAYS: '93' }, { retention: { records: null, ledger: 93 } }],
  [{ BYWAY_PUBLIC_URL: 'https://ai.example.com/gateway//' }, { publicUrl: 'https://ai.example.com/gateway' }],
  [
    { BYWAY_TLS_CERT: '/c.pem', BYWAY_TLS_KEY: 'k.pem' },
    { tls: { certFile: '/c.pem', keyFile: resolve('k.pem') } },
  ],
  [{ BYWAY_CORS_ORIGINS: '*' }, { corsOrigins: new Set(['*']) }],
  [
    { BYWAY_CORS_ORIGINS: 'https://app.example.com, http://localhost:5173' },
    { corsOrigins: new Set(['https://app.example.com', 'http://localhost:5173']) },
  ],
  [
    { BYWAY_FIELD_ALIASES: 'arena_rankings=rankings, rank=place,arena_rankings=arenaRankings' },
    {
      fieldAliases: new Map([
        ['arena_rankings', ['rankings', 'arenaRankings']],
        ['rank', ['place']],
      ]),
    },
  ],
  [{ BYWAY_ADMIN_RATE_PER_MINUTE: '0' }, { adminRatePerMinute: 0 }],
  [{ BYWAY_TRUST_PROXY: '2' }, { trustedProxies: 2 }],
  [{ BYWAY_WORKERS: '1' }, { workers: 1 }],
  [
    { BYWAY_WORKERS: '64', BYWAY_DATABASE_URL: 'postgres://h/d' },
    { databaseUrl: 'postgres://h/d', workers: 64 },
  ],
];

const INTEGERS = {
  PORT: [0, 65_535],
  BYWAY_FIRST_BYTE_TIMEOUT_MS: [1, 2_147_483_647],
  BYWAY_FIRST_TOKEN_TIMEOUT_MS: [1, 2_147_483_647],
  BYWAY_IDLE_TIMEOUT_MS: [1, 2_147_483_647],
  BYWAY_TOTAL_TIMEOUT_MS: [1, 2_147_483_647],
  BYWAY_MAX_ATTEMPTS: [1, 1_000],
  BYWAY_MAX_IN_FLIGHT_PER_ACCOUNT: [1, 1_024],
  BYWAY_ADMIN_RATE_PER_MINUTE: [0, 1_000_000],
  BYWAY_TRUST_PROXY: [0, 10],
  BYWAY_RETENTION_DAYS: [31, 36_500],
  BYWAY_LEDGER_RETENTION_DAYS: [93, 36_500],
  BYWAY_WORKERS: [1, 64],
} as const;

const ORIGINS =
  'BYWAY_CORS_ORIGINS must be * or a list of origins such as https://app.example.com, separated by commas';
const PUBLIC_URL = 'BYWAY_PUBLIC_URL must be an http or https URL without user, query and fragment';
const DATABASE_URL_RULE = 'must have the form sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE';
const ALIASES = 'BYWAY_FIELD_ALIASES must be a list of MEMBER=NAME, separated by commas';
const REGIONS = 'BYWAY_REGION_HOSTS must be a list of HOST=REGION, separated by commas';

const INVALID: readonly (readonly [Environment, string])[] = [
  [
    { BYWAY_WORKERS: '2' },
    'BYWAY_WORKERS must be 1 on SQLite; several workers need PostgreSQL (BYWAY_DATABASE_URL)',
  ],
  ...Object.entries(INTEGERS).flatMap(([name, [least, most]]) =>
    ['x', '-1', '1.5', '0x10', String(least - 1), String(most + 1), '9'.repeat(20)].map(
      (value): [Environment, string] => [
        { [name]: value },
        `${name} must be an integer from ${least} to ${most}`,
      ],
    ),
  ),
  [{ BYWAY_DATABASE_URL: 'mysql://x' }, `BYWAY_DATABASE_URL ${DATABASE_URL_RULE}`],
  [{ BYWAY_DATABASE_URL: 'postgres:h/d' }, `BYWAY_DATABASE_URL ${DATABASE_URL_RULE}`],
  [
    { BYWAY_DATABASE_URL: 'postgres://u:hunter2@h:x/d' },
    'BYWAY_DATABASE_URL: a port must be an integer from 1 to 65535',
  ],
  [
    { BYWAY_DATABASE_URL: 'postgres://u:hunter2@h/d?sslmode=maybe' },
    'BYWAY_DATABASE_URL: parameter "sslmode" must be disable, allow, prefer, require, verify-ca or verify-full, not "maybe"',
  ],
  [
    { BYWAY_DATABASE_DIRECT_URL: 'postgres://h/d' },
    'BYWAY_DATABASE_DIRECT_URL must be left out: BYWAY_DATABASE_URL names no PostgreSQL',
  ],
  [
    { BYWAY_DATABASE_URL: 'postgres://h/d', BYWAY_DATABASE_DIRECT_URL: 'sqlite:x' },
    'BYWAY_DATABASE_DIRECT_URL: must have the form postgres://USER:PASSWORD@HOST:PORT/DATABASE',
  ],
  [
    { BYWAY_DATABASE_URL: 'sqlite://byway.db' },
    'BYWAY_DATABASE_URL must have the form sqlite:PATH: write sqlite:byway.db for a path from here, sqlite:/byway.db for one from the root',
  ],
  [{ BYWAY_DATABASE_URL: 'sqlite:' }, `BYWAY_DATABASE_URL ${DATABASE_URL_RULE}`],
  [{ BYWAY_REGION_HOSTS: 'a.example=eu,A.example.=us' }, 'BYWAY_REGION_HOSTS has two regions for a.example'],
  ...['a:80', 'https://a', 'a/b', '*.a', 'a,,b', 'a b', '::1', '[x]', '1.2.3.999'].map(
    (hosts): [Environment, string] => [
      { BYWAY_HOSTS: hosts },
      'BYWAY_HOSTS must be a list of host names without ports, separated by commas',
    ],
  ),
  ...['eu.example.com', 'eu.example.com=', 'a=eu,', 'a=EU', 'a:80=eu'].map((hosts): [Environment, string] => [
    { BYWAY_REGION_HOSTS: hosts },
    REGIONS,
  ]),
  [
    { BYWAY_LOG_LEVEL: 'loud' },
    'BYWAY_LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
  ],
  [{ BYWAY_ALLOW_PRIVATE_UPSTREAMS: 'yes' }, 'BYWAY_ALLOW_PRIVATE_UPSTREAMS must be 0 or 1'],
  ...['example.com', 'ftp://x', 'http://', 'https://x?', 'https://x#', 'https://u:p@x', 'https://u@x'].map(
    (url): [Environment, string] => [{ BYWAY_PUBLIC_URL: url }, PUBLIC_URL],
  ),
  [{ BYWAY_TLS_CERT: 'c.pem' }, 'BYWAY_TLS_KEY must be set, since BYWAY_TLS_CERT is'],
  [{ BYWAY_TLS_KEY: 'k.pem' }, 'BYWAY_TLS_CERT must be set, since BYWAY_TLS_KEY is'],
  ...[
    'app.example.com',
    'https://app.example.com/',
    'https://app.example.com:443',
    'https://App.example.com',
    'https://*.example.com',
    'https://a.example.com,*',
    'https://a.example.com,',
    'null',
  ].map((origins): [Environment, string] => [{ BYWAY_CORS_ORIGINS: origins }, ORIGINS]),
  ...['rank', 'rank=', '=x', 'rank=a b', 'rank=1st', 'rank=a,', 'Rank=a', 'rank=__proto__'].map(
    (aliases): [Environment, string] => [{ BYWAY_FIELD_ALIASES: aliases }, ALIASES],
  ),
  [{ BYWAY_FIELD_ALIASES: 'rank=x,elo=x' }, 'BYWAY_FIELD_ALIASES has the name x twice'],
];

describe('the environment', () => {
  it('may be empty: everything has a default', () => {
    expect(readConfig({})).toEqual(DEFAULTS);
  });

  it('is not taken from anywhere but its argument, which is the environment of the process', () => {
    expect(readConfig()).toEqual(readConfig(process.env));
  });

  it('counts an empty or blank variable as not set', () => {
    const names = [...VALID, ...INVALID].flatMap(([env]) => Object.keys(env));
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(DEFAULTS);
    expect(readConfig(Object.fromEntries(names.map((name) => [name, '  '])))).toEqual(DEFAULTS);
  });

  it('cannot be changed once it was read', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true);
  });

  it.each(VALID)('%j is understood', (env, expected) => {
    expect(readConfig(env)).toEqual({ ...DEFAULTS, ...expected });
  });

  it.each(INVALID)('%j stops the start with one line that names the variable', (env, message) => {
    expect(() => readConfig(env)).toThrow(new ConfigError(message));
    expect(message).not.toContain('\n');
  });
});
